import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { temporaryFolder } from '../../support/stores.ts';
import { openMarionette } from './marionette.ts';

const isThere = spawnSync('thunderbird', ['--version']).status === 0;

let node: RunningNode;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;
let password: string;
let token: string;

beforeAll(async () => {
  folder = await temporaryFolder();
  node = await startNode({ env: { CONCLAVE_MAIL_DOMAIN: 'home.example' } });
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ username: 'ada', email: 'ada@x.test', password: 'seven green bottles' });
  const registered = await node.fetch('/api/user/register', { method: 'POST', headers, body });
  ({ token } = ((await registered.json()) as { data: { token: string } }).data);
  const made = await node.fetch('/api/user/app-passwords', {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${token}` },
    body: JSON.stringify({ name: 'Thunderbird', scopes: ['calendar', 'contacts'] }),
  });
  ({ password } = (await made.json()) as { password: string });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** Nothing of these is for a person who begins, and nothing asks a server elsewhere. */
const preferences: Readonly<Record<string, unknown>> = {
  'app.update.enabled': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'mail.provider.suppress_dialog_on_startup': true,
  'mail.shell.checkDefaultClient': false,
  'mail.spotlight.firstRunDone': true,
  'mailnews.start_page.enabled': false,
  'marionette.port': 0,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'toolkit.telemetry.enabled': false,
};

/** Thunderbird without a window, with a profile of its own. */
async function startThunderbird() {
  const profile = join(folder.path, 'profile');
  await mkdir(profile);
  const lines = Object.entries(preferences).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  await writeFile(join(profile, 'user.js'), `${lines.join('\n')}\n`);
  const words = ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', profile];
  const program = spawn('thunderbird', words, {
    env: { ...process.env, HOME: folder.path, MOZ_HEADLESS: '1' },
    stdio: 'ignore',
  });
  const ended = once(program, 'exit');
  const end = async (): Promise<void> => {
    program.kill('SIGKILL');
    await ended;
  };
  const marionette = await openMarionette(profile).catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return {
    run: async (script: string, ...args: readonly unknown[]) => await marionette.run(script, ...args),
    async [Symbol.asyncDispose]() {
      marionette[Symbol.dispose]();
      await end();
    },
  };
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
async function api(path: string, method = 'GET', body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await node.fetch(path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  return await answer.json();
}

const begin = `
  const { cal } = ChromeUtils.importESModule('resource:///modules/calendar/calUtils.sys.mjs');
  const { CalEvent } = ChromeUtils.importESModule('resource:///modules/CalEvent.sys.mjs');
  const everything = Ci.calICalendar.ITEM_FILTER_TYPE_EVENT | Ci.calICalendar.ITEM_FILTER_COMPLETED_ALL;
  const titles = async (calendar) => {
    const done = new Promise((resolve) => {
      calendar.addObserver({
        QueryInterface: ChromeUtils.generateQI(['calIObserver']),
        onStartBatch() {}, onEndBatch() {}, onAddItem() {}, onModifyItem() {}, onDeleteItem() {},
        onPropertyChanged() {}, onPropertyDeleting() {},
        onError(_calendar, number, message) { resolve(number + ' ' + message); },
        onLoad() { resolve(); },
      });
    });
    calendar.refresh();
    await done;
    const items = await calendar.getItemsAsArray(everything, 0, null, null);
    return items.map((item) => item.title).sort();
  };
`;

describe('calendars and contacts work with', { tags: 'needs-program' }, () => {
  it.skipIf(!isThere)('Thunderbird, which finds, reads, adds, changes and deletes', async () => {
    await using thunderbird = await startThunderbird();
    const { calendars } = await api('/api/cal/calendars');
    const [{ id }] = calendars;
    await api('/api/cal/events', 'POST', {
      calendarId: id,
      summary: 'By the API',
      dtstart: '2027-03-02T16:00:00',
      dtend: '2027-03-02T17:00:00',
      dtstartTzid: 'Europe/Berlin',
    });
    // The name, the app password and the address of the node are all that a person types.
    const found = await thunderbird.run(
      `${begin}
      const [url, user, password] = args;
      const login = Cc['@mozilla.org/login-manager/loginInfo;1'].createInstance(Ci.nsILoginInfo);
      login.init(new URL(url).origin, null, 'Conclave', user, password, '', '');
      await Services.logins.addLoginAsync(login);
      const providers = await cal.provider.detection.detect(user, password, url, false, [], {});
      const all = [...providers.values()].flat();
      return all.map((calendar) => [calendar.name, calendar.uri.spec]);`,
      `${node.ready.url}/`,
      'ada',
      password,
    );
    expect(found).toEqual([['Calendar', expect.stringMatching(new RegExp(`/dav/calendars/.*/${id}/$`))]]);
    const [[, address]] = found as [[string, string]];
    const inCalendar = async (script: string, ...args: readonly unknown[]) =>
      await thunderbird.run(
        `${begin}
        const [address, ...more] = args;
        let calendar = cal.manager.getCalendars().find((one) => one.uri.spec === address);
        if (calendar === undefined) {
          calendar = cal.manager.createCalendar('caldav', Services.io.newURI(address));
          calendar.id = cal.getUUID();
          calendar.name = 'Home';
          calendar.setProperty('username', 'ada');
          calendar.setProperty('cache.enabled', true);
          cal.manager.registerCalendar(calendar);
          calendar = cal.manager.getCalendarById(calendar.id);
        }
        ${script}`,
        address,
        ...args,
      );
    expect(await inCalendar('return await titles(calendar);')).toEqual(['By the API']);
    await inCalendar(`
      const event = new CalEvent();
      event.title = 'By Thunderbird';
      event.startDate = cal.createDateTime('20270303T100000Z');
      event.endDate = cal.createDateTime('20270303T110000Z');
      await calendar.addItem(event);`);
    const listed = async () => (await api(`/api/cal/events?calendarId=${id}`)).events;
    const titles = async () => (await listed()).map(({ summary }: { summary: string }) => summary).toSorted();
    expect(await titles()).toEqual(['By Thunderbird', 'By the API']);
    const own = (await listed()).find(({ summary }: { summary: string }) => summary === 'By Thunderbird');
    await api(`/api/cal/events/${own.id}`, 'PATCH', { summary: 'Changed by the API' });
    expect(await inCalendar('return await titles(calendar);')).toEqual(['By the API', 'Changed by the API']);
    await inCalendar(`
      for (const item of await calendar.getItemsAsArray(everything, 0, null, null)) {
        if (item.title === 'By the API') await calendar.deleteItem(item);
        else {
          const changed = item.clone();
          changed.title = 'Changed by Thunderbird';
          await calendar.modifyItem(changed, item);
        }
      }`);
    expect(await titles()).toEqual(['Changed by Thunderbird']);
  });
});
