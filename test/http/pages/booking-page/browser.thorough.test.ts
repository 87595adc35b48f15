import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from 'srvx/node';
import { appointmentsOf, monday, pageOf } from '../../../services/calendar/booking-scene.ts';
import { openCalendars, type CalendarScene } from '../../../services/calendar/calendar-scene.ts';
import { hasBrowser, openBrowser, type TestBrowser } from '../share-page/browser.ts';

// One server and one browser are parameters of everything below.
let scene: CalendarScene;
let server: Server;
let browser: TestBrowser;
let origin: string;

beforeAll(async () => {
  if (!hasBrowser) return;
  scene = await openCalendars('sqljs');
  const questions = [
    { label: 'Topic', type: 'text' as const, required: true },
    { label: 'I have read this', type: 'checkbox' as const, required: true },
  ];
  await pageOf(scene, scene.ann, { questions, description: 'A talk of an hour.' });
  server = createServer(toNodeHandler(scene.house.fetch) as RequestListener);
  await new Promise<void>((done) => server.listen(0, 'localhost', done));
  origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  browser = await openBrowser(origin);
});
afterAll(async () => {
  if (!hasBrowser) return;
  await browser[Symbol.asyncDispose]();
  await new Promise((done) => server.close(done));
  await scene[Symbol.asyncDispose]();
});

/** Relative luminance of WCAG 2. */
const contrastOf = `(() => {
  const channel = (value) => { const part = value / 255; return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4; };
  const light = (color) => { const [r, g, b] = color.match(/[\\d.]+/g).map(Number); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) { const color = getComputedStyle(at).backgroundColor; if (!/, 0\\)$|transparent/.test(color)) return color; }
    return getComputedStyle(document.body).backgroundColor;
  };
  const texts = [...document.querySelectorAll('main *, footer *')].filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''));
  return texts.map((one) => {
    const [a, b] = [light(getComputedStyle(one).color), light(ground(one))].sort((x, y) => y - x);
    return { text: one.textContent.trim().slice(0, 30), ratio: (a + 0.05) / (b + 0.05) };
  }).filter(({ ratio }) => ratio < 4.5);
})()`;

/** What a reader of screens needs, and a thumb. */
const faultsOf = `(() => {
  const faults = [];
  for (const field of document.querySelectorAll('input:not([type=hidden]), select, textarea'))
    if (field.labels.length === 0) faults.push('no label: ' + field.name);
  if (document.querySelectorAll('main').length !== 1) faults.push('not one main');
  if (document.querySelectorAll('h1').length !== 1) faults.push('not one h1');
  let before = 0;
  for (const heading of document.querySelectorAll('h1, h2, h3, h4')) {
    const level = Number(heading.tagName[1]);
    if (level > before + 1 && !heading.closest('.notice')) faults.push('jumps to ' + heading.tagName);
    before = level;
  }
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  if (new Set(ids).size !== ids.length) faults.push('an id twice');
  if (document.documentElement.lang === '' || document.title === '') faults.push('no language or title');
  for (const one of document.querySelectorAll('button, .button, ul.times a'))
    if (one.getBoundingClientRect().height < 44) faults.push('small: ' + one.textContent);
  if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the screen');
  return faults;
})()`;

describe.skipIf(!hasBrowser)('a booking page in a browser', { tags: 'needs-program' }, () => {
  it('books without scripts, by keyboard, and asks nobody else', async () => {
    await using tab = await browser.open({ javaScriptEnabled: false, viewport: { width: 375, height: 700 } });
    const { page } = tab;
    await page.goto(`${origin}/book/ann-talks?date=${monday}`);
    await page.locator('ul.times a').first().focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Your name').fill('Eve');
    await page.getByLabel('Your e-mail address').fill('eve@else.example');
    await page.getByLabel('Topic').fill('Tides');
    await page.getByLabel('I have read this').check();
    scene.house.clock.advance(10_000);
    await page.getByRole('button', { name: 'Book this time' }).press('Enter');
    await page.getByText('It is booked.').waitFor({ timeout: 100_000 });
    const address = page.url();
    await page.reload();
    expect(page.url()).toBe(address);
    expect(await appointmentsOf(scene, scene.ann)).toHaveLength(1);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByText('Save for your calendar').click(),
    ]);
    expect(saved.suggestedFilename()).toBe('appointment.ics');
    await page.getByRole('link', { name: 'Cancel it' }).click();
    await page.getByLabel('Why').fill('Ill');
    await page.getByRole('button', { name: 'Cancel the appointment' }).click();
    await page.getByText('It was cancelled.').waitFor({ timeout: 100_000 });
    expect(tab.complaints()).toEqual([]);
  });

  it.each([
    ['light', 375],
    ['dark', 375],
    ['light', 1280],
    ['dark', 1280],
  ] as const)('is readable in %s at %i pixels', async (colorScheme, width) => {
    await using tab = await browser.open({ colorScheme, viewport: { width, height: 800 } });
    const { page } = tab;
    const week = `${origin}/book/ann-talks?date=${monday}`;
    const seen: Record<string, unknown> = {};
    const look = async (name: string) => {
      seen[name] = { contrast: await page.evaluate(contrastOf), faults: await page.evaluate(faultsOf) };
    };
    await page.goto(week);
    await look('week');
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      colorScheme === 'dark' ? 'rgb(21, 24, 28)' : 'rgb(255, 255, 255)',
    );
    await page.locator('ul.times a').first().click();
    await look('form');
    // What the browser would check by itself is left to the server here.
    await page.evaluate("document.querySelector('form').noValidate = true");
    scene.house.clock.advance(10_000);
    await page.getByRole('button', { name: 'Book this time' }).click();
    await page.getByRole('alert').waitFor({ timeout: 100_000 });
    await look('corrections');
    await page.goto(`${origin}/book/nothing`);
    await look('nothing');
    const fine = { contrast: [], faults: [] };
    expect(seen).toEqual({ week: fine, form: fine, corrections: fine, nothing: fine });
    expect(tab.complaints()).toEqual([]);
  });

  it('shows where the focus is, and jumps over nothing', async () => {
    await using tab = await browser.open();
    const { page } = tab;
    await page.goto(`${origin}/book/ann-talks?date=${monday}`);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('To the text');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.id')).toBe('timezone');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.locator('ul.times a').first().click();
    // Nobody comes to the field that is not for people.
    for (let step = 0; step < 20; step += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate('document.activeElement.name ?? ""')).not.toBe('website');
    }
  });
});
