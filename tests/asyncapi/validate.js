// Prints, as one JSON object by file, what is wrong with each AsyncAPI document; an empty list where nothing is.
const { Parser } = require("@asyncapi/parser");
const fs = require("fs");

const ERROR = 0;

async function mistakes(file) {
  const { document, diagnostics } = await new Parser().parse(fs.readFileSync(file, "utf8"));
  const found = diagnostics.filter((each) => each.severity === ERROR);
  const told = found.map((each) => `${each.path.join(".")}: ${each.message}`);
  return document || told.length ? told : ["it is no document"];
}

async function main(files) {
  const told = {};
  for (const file of files) told[file] = await mistakes(file);
  console.log(JSON.stringify(told));
}

main(process.argv.slice(2));
