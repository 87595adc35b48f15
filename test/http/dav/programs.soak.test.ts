import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startNode, type RunningNode } from '../../support/running-node.ts';
import { temporaryFolder } from '../../support/stores.ts';
import { eventText } from './dav-scene.ts';

/** Programs with which people keep their calendars and contacts. Those that are not installed are left out. */
const has = (...command: [string, ...string[]]): boolean => spawnSync(command[0], command.slice(1)).status === 0;
const hasPythonCaldav = has('/usr/bin/python3', '-c', 'import caldav');
const hasVdirsyncer = has('vdirsyncer', '--version');

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
    body: JSON.stringify({ name: 'Programs', scopes: ['calendar', 'contacts'] }),
  });
  ({ password } = (await made.json()) as { password: string });
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

/** What the API shows at a path. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
async function api(path: string): Promise<any> {
  return await (await node.fetch(path, { headers: { authorization: `Bearer ${token}` } })).json();
}

/** A folder with a configuration of vdirsyncer for calendars and contacts. */
async function synchronised(name: string) {
  const root = join(folder.path, name);
  await mkdir(root);
  const storage = (kind: string, extension: string) => `
[pair ${kind}]
a = "${kind}_local"
b = "${kind}_remote"
collections = ["from a", "from b"]
[storage ${kind}_local]
type = "filesystem"
path = "${root}/${kind}/"
fileext = "${extension}"
[storage ${kind}_remote]
type = "${kind}"
url = "${node.ready.url}/"
username = "ada"
password = "${password}"
`;
  const config = `[general]\nstatus_path = "${root}/status/"\n${storage('caldav', '.ics')}${storage('carddav', '.vcf')}`;
  await writeFile(join(root, 'config'), config);
  const env = { VDIRSYNCER_CONFIG: join(root, 'config'), HOME: root, XDG_CACHE_HOME: join(root, 'cache') };
  const run = async (...words: string[]) =>
    await execa('vdirsyncer', words, { env, input: 'y\n'.repeat(20), all: true, timeout: 300_000 });
  return {
    root,
    env,
    async sync() {
      await run('discover');
      return (await run('sync')).all;
    },
  };
}

describe('calendars and contacts work with', { tags: 'needs-program' }, () => {
  it.skipIf(!hasVdirsyncer)('vdirsyncer, in both directions', async () => {
    const { root, sync } = await synchronised('vdir');
    await mkdir(join(root, 'caldav', 'travel'), { recursive: true });
    await mkdir(join(root, 'carddav', 'family'), { recursive: true });
    const text = eventText({ uid: 'train@x', summary: 'Train', lines: ['RRULE:FREQ=WEEKLY;COUNT=4'] });
    await writeFile(join(root, 'caldav', 'travel', 'train.ics'), text);
    // It never empties a collection.
    await writeFile(join(root, 'caldav', 'travel', 'stay.ics'), eventText({ uid: 'stay@x', summary: 'Stay' }));
    const card = ['BEGIN:VCARD', 'VERSION:3.0', 'UID:uncle@x', 'FN:Uncle', 'N:Uncle;;;;', 'END:VCARD', ''].join('\r\n');
    await writeFile(join(root, 'carddav', 'family', 'uncle.vcf'), card);
    await sync();
    const { calendars } = await api('/api/cal/calendars');
    const travel = calendars.find(({ displayName }: { displayName: string }) => displayName === 'travel');
    const { events } = await api(`/api/cal/events?calendarId=${travel.id}`);
    const train = events.find(({ uid }: { uid: string }) => uid === 'train@x');
    expect(events).toHaveLength(2);
    expect(train).toMatchObject({ summary: 'Train', isRecurring: true });
    // And back: what the API changes comes to the folder.
    await node.fetch(`/api/cal/events/${train.id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ summary: 'Night train' }),
    });
    await sync();
    const texts = async () => {
      const names = await readdir(join(root, 'caldav', 'travel'));
      const files = names.filter((name) => name.endsWith('.ics')).map((name) => join(root, 'caldav', 'travel', name));
      return await Promise.all(files.map(async (file) => await readFile(file, 'utf8')));
    };
    expect((await texts()).join('')).toContain('SUMMARY:Night train');
    const { books } = await api('/api/contacts/books');
    const family = books.find(({ displayName }: { displayName: string }) => displayName === 'family');
    expect((await api(`/api/contacts/books/${family.id}/cards`)).cards).toMatchObject([{ displayName: 'Uncle' }]);
    await node.fetch(`/api/cal/events/${train.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    });
    await sync();
    expect(await texts()).toEqual([eventText({ uid: 'stay@x', summary: 'Stay' })]);
  });

  it.skipIf(!hasVdirsyncer || !has('khal', '--version'))('khal', async () => {
    const { root, env, sync } = await synchronised('khal');
    await mkdir(join(root, 'caldav', 'khal'), { recursive: true });
    const config = join(root, 'khal.conf');
    await writeFile(
      config,
      `[calendars]\n[[khal]]\npath = ${root}/caldav/khal\n[locale]\nlocal_timezone = UTC\ndefault_timezone = UTC\ntimeformat = %H:%M\ndateformat = %Y-%m-%d\nlongdateformat = %Y-%m-%d\ndatetimeformat = %Y-%m-%d %H:%M\nlongdatetimeformat = %Y-%m-%d %H:%M\n[sqlite]\npath = ${root}/khal.db\n[default]\ndefault_calendar = khal\n`,
    );
    const khal = async (...words: string[]) => await execa('khal', ['-c', config, ...words], { env });
    await khal('new', '2026-03-02', '14:00', '15:00', 'Dentist', '::', 'Bring the card');
    await sync();
    const found = await api('/api/cal/events?start=2026-03-02T00:00:00Z&end=2026-03-03T00:00:00Z');
    expect(found.events).toMatchObject([
      { summary: 'Dentist', description: 'Bring the card', start: '2026-03-02T14:00:00.000Z' },
    ]);
    await node.fetch('/api/cal/events', {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        calendarId: found.events[0].calendarId,
        summary: 'By the API',
        dtstart: '2026-03-02T16:00:00',
        dtend: '2026-03-02T17:00:00',
        dtstartTzid: 'Europe/Berlin',
      }),
    });
    await sync();
    const { stdout } = await khal('list', '2026-03-02', '2026-03-03');
    expect(stdout).toContain('14:00-15:00 Dentist');
    expect(stdout).toContain('15:00-16:00 By the API');
  });

  it.skipIf(!hasVdirsyncer || !has('khard', '--version'))('khard', async () => {
    const { root, env, sync } = await synchronised('khard');
    await mkdir(join(root, 'carddav', 'khard'), { recursive: true });
    const config = join(root, 'khard.conf');
    await writeFile(
      config,
      `[addressbooks]\n[[khard]]\npath = ${root}/carddav/khard\n[general]\ndefault_action = list\n`,
    );
    const khard = async (words: string[], input = '') => await execa('khard', ['-c', config, ...words], { env, input });
    await khard(['new', '-a', 'khard'], 'First name: Grace\nLast name: Hopper\nEmail:\n  work: grace@x.test\n');
    await sync();
    const { books } = await api('/api/contacts/books');
    const book = books.find(({ displayName }: { displayName: string }) => displayName === 'khard');
    expect((await api(`/api/contacts/books/${book.id}/cards`)).cards).toMatchObject([
      { displayName: 'Grace Hopper', emails: [{ value: 'grace@x.test' }] },
    ]);
    expect((await khard(['email', '--parsable', 'grace'])).stdout).toContain('grace@x.test');
  });

  it.skipIf(!hasPythonCaldav)('python-caldav', async () => {
    const script = join(folder.path, 'program.py');
    await writeFile(script, python);
    const { stdout } = await execa('/usr/bin/python3', [script, `${node.ready.url}/`, 'ada', password]);
    expect(JSON.parse(stdout)).toEqual({
      made: true,
      expanded: 2,
      by_uid: 'Stand-up',
      todos: ['Buy milk'],
      synced: 2,
      changed: 'Changed',
      since: 1,
      busy: true,
      renamed: 'Renamed',
      inbox: 0,
      deleted: false,
    });
  });
});

const python = `
import caldav, datetime, json, sys
from caldav.elements import dav
url, user, password = sys.argv[1:]
principal = caldav.DAVClient(url=url, username=user, password=password).principal()
def names():
    return [c.name for c in principal.calendars()]
def object(kind, lines):
    head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//x//y//EN', 'BEGIN:' + kind, 'DTSTAMP:20260101T000000Z']
    return '\\r\\n'.join(head + lines + ['END:' + kind, 'END:VCALENDAR', ''])
out = {}
calendar = principal.make_calendar(name='By Python', cal_id='python')
out['made'] = 'By Python' in names()
event = calendar.save_event(object('VEVENT', ['UID:p1@x', 'SUMMARY:Stand-up', 'DTSTART:20261105T100000Z', 'DTEND:20261105T110000Z', 'RRULE:FREQ=DAILY;COUNT=5']))
found = calendar.date_search(start=datetime.datetime(2026, 11, 6), end=datetime.datetime(2026, 11, 8), expand=True)
out['expanded'] = sum(one.data.count('BEGIN:VEVENT') for one in found)
out['by_uid'] = calendar.event_by_uid('p1@x').vobject_instance.vevent.summary.value
todo = calendar.save_todo(object('VTODO', ['UID:p2@x', 'SUMMARY:Buy milk', 'DUE:20261105T100000Z']))
out['todos'] = [one.vobject_instance.vtodo.summary.value for one in calendar.todos()]
all = calendar.objects_by_sync_token(load_objects=True)
out['synced'] = len(list(all))
event.vobject_instance.vevent.summary.value = 'Changed'
event.save()
out['changed'] = calendar.event_by_uid('p1@x').vobject_instance.vevent.summary.value
out['since'] = len(list(calendar.objects_by_sync_token(all.sync_token, load_objects=True)))
busy = calendar.freebusy_request(datetime.datetime(2026, 11, 5), datetime.datetime(2026, 11, 12))
out['busy'] = '20261106T100000Z/20261106T110000Z' in busy.vobject_instance.vfreebusy.serialize()
calendar.set_properties([dav.DisplayName('Renamed')])
out['renamed'] = calendar.get_properties([dav.DisplayName()])['{DAV:}displayname']
out['inbox'] = len(list(principal.schedule_inbox().get_items()))
todo.delete()
calendar.delete()
out['deleted'] = 'Renamed' in names()
print(json.dumps(out))
`;
