import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** Waits until the page shows a state. */
export async function stateOf(page: Page, name: string): Promise<void> {
  // A machine may be busy with other things: what takes so long hangs.
  await page.waitForSelector(`#card[data-state=${name}]`, { timeout: 100_000 });
}

export async function titleOf(page: Page): Promise<string | null> {
  return await page.locator('h1').textContent();
}

export interface Downloaded {
  readonly name: string;
  /** what the browser calls it */
  readonly failure: string | null;
  readonly bytes: Buffer | undefined;
}

/** Clicks, and waits for the browser to have it on its disk. @param more is done meanwhile */
export async function downloaded(page: Page, more: () => Promise<void> = async () => {}): Promise<Downloaded> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('#download')]);
  await more();
  const failure = await download.failure();
  return {
    name: download.suggestedFilename(),
    failure,
    bytes: failure === null ? await readFile(await download.path()) : undefined,
  };
}
