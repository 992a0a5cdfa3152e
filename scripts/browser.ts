/**
 * Finds a Chromium for the browser tests. Candidates in order: `CHROMIUM_PATH`, the pinned packaged browser (64-bit
 * Linux), Playwright's download, an installed browser. As root on Debian it is installed when none of these starts.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from '@playwright/test';

export interface Browser {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Root has no sandbox for its children; the other flags keep the browser from calling home. */
const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const launchTimeoutMs = 20_000;

const installed = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Returns true when the browser opens a page and accepts text in a field, driven as in the tests. */
async function starts(browser: Browser): Promise<boolean> {
  try {
    const running = await chromium.launch({
      executablePath: browser.path,
      args: [...browser.args],
      env: { ...definedOnly(process.env), ...browser.env },
      timeout: launchTimeoutMs,
    });
    try {
      const page = await running.newPage();
      await page.setContent('<input aria-label="field">', { timeout: launchTimeoutMs });
      await page.getByLabel('field').fill('text', { timeout: launchTimeoutMs });
      return (await page.getByLabel('field').inputValue()) === 'text';
    } finally {
      await running.close();
    }
  } catch {
    return false;
  }
}

const definedOnly = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

async function packaged(root: string): Promise<Browser | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const folder = join(root, '.cache', 'browser');
  mkdirSync(folder, { recursive: true });
  // The package unpacks its libraries only where it detects that cloud, and always below TMPDIR.
  const before = {
    tmp: process.env['TMPDIR'],
    aws: process.env['AWS_EXECUTION_ENV'],
    library: process.env['LD_LIBRARY_PATH'],
    fonts: process.env['FONTCONFIG_PATH'],
  };
  process.env['TMPDIR'] = folder;
  process.env['AWS_EXECUTION_ENV'] = 'AWS_Lambda_nodejs22.x';
  try {
    const { default: carried } = await import('@sparticuz/chromium');
    const path = await carried.executablePath();
    const library = process.env['LD_LIBRARY_PATH'] ?? '';
    return { path, args, env: { LD_LIBRARY_PATH: library, HOME: folder, FONTCONFIG_FILE: fontsOf(folder) } };
  } catch {
    return null;
  } finally {
    restore('TMPDIR', before.tmp);
    restore('AWS_EXECUTION_ENV', before.aws);
    restore('LD_LIBRARY_PATH', before.library);
    restore('FONTCONFIG_PATH', before.fonts);
  }
}

/**
 * Writes the font configuration of the packaged browser: its own fonts and those of the machine. Its default
 * configuration lists folders of that cloud only, and a browser without fonts accepts no text in a field.
 */
function fontsOf(folder: string): string {
  const file = join(folder, 'fonts.conf');
  writeFileSync(
    file,
    `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(folder, 'fonts')}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`,
  );
  return file;
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

function downloaded(): Browser | null {
  const path = chromium.executablePath();
  return existsSync(path) ? { path, args, env: {} } : null;
}

function installOnDebian(): Browser | null {
  if (process.getuid?.() !== 0 || !existsSync('/etc/debian_version')) return null;
  console.log('No browser starts here: installing Chromium from Debian (once).');
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], { stdio: 'ignore' });
  } catch {
    return null;
  }
  return { path: '/usr/bin/chromium', args, env: {} };
}

/** Returns the first browser that starts, or null. */
export async function findBrowser(root = resolve(import.meta.dirname, '..')): Promise<Browser | null> {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') return { path: named, args, env: {} };
  const onMachine = installed.filter((path) => existsSync(path)).map((path) => () => ({ path, args, env: {} }));
  for (const find of [() => packaged(root), downloaded, ...onMachine, installOnDebian]) {
    const browser = await find();
    if (browser !== null && (await starts(browser))) return browser;
  }
  return null;
}

export const howToGetABrowser =
  'No browser was found for the browser tests: install Chromium (Debian: apt-get install chromium) or set CHROMIUM_PATH.';
