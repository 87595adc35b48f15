import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';

const program = '/usr/bin/chromium';
export const hasBrowser = existsSync(program);

export interface TestBrowser extends AsyncDisposable {
  readonly browser: Browser;
  /** for files that were downloaded */
  readonly folder: string;
  /** a page with a profile of its own, and what it complained of */
  open(options?: BrowserContextOptions): Promise<Tab>;
}

export interface Tab extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  /** violations of the policy, errors of scripts, and requests to anywhere but the origin */
  complaints(): readonly string[];
}

/** A browser that reaches this machine alone. */
export async function openBrowser(origin: string): Promise<TestBrowser> {
  const folder = await mkdtemp(join(tmpdir(), 'conclave-browser-'));
  const browser = await chromium.launch({
    executablePath: program,
    downloadsPath: folder,
    args: [
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-dev-shm-usage',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  });
  return {
    browser,
    folder,
    async open(options = {}) {
      const context = await browser.newContext({ acceptDownloads: true, ...options });
      const page = await context.newPage();
      const found: string[] = [];
      context.on('request', (request) => {
        if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('blob:'))
          found.push(`request to ${request.url()}`);
        if (request.url().includes('#')) found.push(`a request with a fragment: ${request.url()}`);
      });
      page.on('pageerror', (error) => found.push(error.message));
      page.on('console', (message) => {
        // An answer that is no success is said on the console as well.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          found.push(message.text());
      });
      return { page, context, complaints: () => found, [Symbol.asyncDispose]: () => context.close() };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
