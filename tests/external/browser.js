// A page in Chromium, told by lines of JSON on standard input: {"goto": URL}, {"storage": {KEY: TEXT}} before it,
// {"until": EXPRESSION}, {"see": TEXT} also in parts of their own, {"wait": MS}, {"picture": FILE}; each is answered by a line
// with `text`, what the page says, or `error`.
const { chromium } = require('playwright-core');
const readline = require('readline');

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync'];
const PATIENCE_MS = 180000;

async function act(page, told) {
  if (told.storage) await page.addInitScript(pairs => Object.entries(pairs).forEach(pair => localStorage.setItem(...pair)), told.storage);
  if (told.goto) await page.goto(told.goto, { waitUntil: 'domcontentloaded', timeout: PATIENCE_MS });
  if (told.until) await page.waitForFunction(told.until, null, { timeout: PATIENCE_MS, polling: 100 });
  if (told.see) await page.getByText(told.see).first().waitFor({ timeout: PATIENCE_MS });
  if (told.wait) await page.waitForTimeout(told.wait);
  if (told.picture) await page.screenshot({ path: told.picture });
  return text(page);
}

// Nothing while the page is on its way to another one.
function text(page) {
  return page.evaluate("document.body ? document.body.innerText : ''").catch(() => '');
}

(async () => {
  const [executablePath, width, height] = process.argv.slice(2);
  const browser = await chromium.launch({ executablePath, args: FLAGS });
  const page = await browser.newPage({ viewport: { width: +width, height: +height }, serviceWorkers: 'block' });
  page.on('pageerror', error => console.error(String(error)));
  for await (const line of readline.createInterface({ input: process.stdin })) {
    let answer;
    try { answer = { text: await act(page, JSON.parse(line)) }; } catch (error) { answer = { error: `${error}\n${await text(page)}` }; }
    process.stdout.write(JSON.stringify(answer) + '\n');
  }
  await browser.close();
})();
