const { Parser } = require("@asyncapi/parser");
const fs = require("fs");

async function main(file) {
  const { document, diagnostics } = await new Parser().parse(fs.readFileSync(file, "utf8"));
  for (const each of diagnostics) {
    console.log(`${each.severity} ${each.code} at ${each.path.join(".")}: ${each.message}`);
  }
  if (document) console.log(`channels ${document.channels().all().length}`);
  process.exit(document && !diagnostics.some((each) => each.severity === 0) ? 0 : 1);
}

main(process.argv[2]);
