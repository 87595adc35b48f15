import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { fold } from '../../../src/platform/store/search/words.ts';
import { seeded } from '../../support/run-seed.ts';
import { bothEngines } from '../../support/stores.ts';
import { openMail, type Correspondent, type MailScene } from './scene.ts';

const DAY = 86_400_000;
const senders = ['ada@home.example', '"Ada L"@far.example', 'grüße@köln.example', 'bob@home.example'];
const subjects = ['Plans', 'Re: Plans', 'ÜBER Grüße', '100% _sure_ \\ of it', 'plans for Ångström', ''];
const words = ['apple', 'banana', 'cherry', 'straße'];

interface Known {
  readonly id: string;
  readonly from: string;
  readonly subject: string;
  readonly date: number;
  readonly text: string;
  read: boolean;
  flagged: boolean;
  attached: boolean;
  label: string | undefined;
  folder: string;
  size: number;
}

type Wanted = Partial<
  Record<
    | 'readStatus'
    | 'senderAddress'
    | 'dateFrom'
    | 'dateTo'
    | 'hasAttachments'
    | 'subjectContains'
    | 'searchText'
    | 'flagged'
    | 'label'
    | 'folder',
    string
  >
>;

/** What a list has to show, told in the plainest way. */
function matches(one: Known, wanted: Wanted): boolean {
  const { readStatus = 'all', senderAddress, dateFrom, dateTo, hasAttachments, subjectContains } = wanted;
  const { searchText, flagged, label, folder = 'all' } = wanted;
  const said = (value: boolean, filter: string | undefined) => filter === undefined || String(value) === filter;
  const has = (word: string) =>
    `${one.subject} ${one.text}`
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u)
      .includes(word.toLowerCase());
  return (
    (folder === 'all' ? !['spam', 'trash'].includes(one.folder) : one.folder === folder) &&
    (readStatus === 'all' || one.read === (readStatus === 'read')) &&
    (senderAddress === undefined || one.from.toLowerCase() === senderAddress.toLowerCase()) &&
    (dateFrom === undefined || one.date >= Date.parse(dateFrom)) &&
    (dateTo === undefined || one.date <= Date.parse(dateTo)) &&
    said(one.attached, hasAttachments) &&
    said(one.flagged, flagged) &&
    (label === undefined || one.label === label) &&
    (subjectContains === undefined || fold(one.subject).includes(fold(subjectContains))) &&
    (searchText === undefined || searchText.split(' ').every(has))
  );
}

describe.each(bothEngines)('lists of messages on %s', (engine) => {
  let scene: MailScene;
  let ada: Correspondent;
  const random = seeded(inject('seed'));
  const all: Known[] = [];
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!;
  const maybe = <T>(value: T, chance = 0.35): T | undefined => (random() < chance ? value : undefined);

  beforeAll(async () => {
    scene = await openMail(engine);
    ada = await scene.join('reader');
    for (let index = 0; index < 60; index += 1) {
      const [from, subject, text] = [pick(senders), pick(subjects), `${pick(words)} and ${pick(words)}`];
      const date = Date.UTC(2025, 11, 1) + Math.floor(random() * 20) * DAY;
      const attached = random() < 0.3;
      const plain = `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}${'.'.repeat(Math.floor(random() * 200))}\r\n`;
      const file = 'Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=a\r\n\r\nx\r\n';
      const body = attached
        ? `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${plain}--b\r\n${file}--b--\r\n`
        : plain;
      const octets = `From: ${from}\r\nTo: reader@home.example\r\nSubject: ${subject}\r\nDate: ${new Date(date).toUTCString()}\r\nMIME-Version: 1.0\r\n${body}`;
      const folder = pick(['inbox', 'inbox', 'inbox', 'archive', 'spam', 'trash']);
      const read = random() < 0.5;
      const answer = await scene.house.api('POST', `/api/emails/import?folder=${folder}&read=${read}`, {
        token: ada.token,
        rawBody: octets,
        headers: { 'content-type': 'message/rfc822' },
      });
      expect(answer.status).toBe(201);
      const { id } = answer.body.data;
      const [flagged, label] = [random() < 0.3, maybe('Work')];
      if (flagged) await scene.ask(ada, 'PATCH', `/${id}`, { addKeywords: ['$flagged'] }, 200);
      if (label !== undefined) await scene.ask(ada, 'PATCH', `/${id}`, { addLabels: [label] }, 200);
      const size = Buffer.byteLength(octets);
      all.push({ id, from, subject, date, text, read, flagged, attached, label, folder, size });
    }
  });
  afterAll(async () => await scene[Symbol.asyncDispose]());

  /** Changes a message in a way that lists show. */
  async function changeOne(): Promise<void> {
    const one = pick(all);
    const change = pick(['read', 'flagged', 'folder', 'label']);
    if (change === 'read') one.read = !one.read;
    if (change === 'flagged') one.flagged = !one.flagged;
    if (change === 'folder') one.folder = pick(['inbox', 'archive', 'trash']);
    const before = one.label;
    if (change === 'label') one.label = before === undefined ? 'Work' : undefined;
    const body = {
      read: { read: one.read },
      flagged: one.flagged ? { addKeywords: ['$flagged'] } : { removeKeywords: ['$flagged'] },
      folder: { folder: one.folder },
      label: before === undefined ? { addLabels: ['Work'] } : { removeLabels: [before] },
    }[change];
    await scene.ask(ada, 'PATCH', `/${one.id}`, body, 200);
  }

  it('show what meets all filters, in every order and on every page', async () => {
    for (let round = 0; round < 60; round += 1) {
      await changeOne();
      const wanted: Wanted = Object.fromEntries(
        Object.entries({
          folder: maybe(pick(['inbox', 'archive', 'trash', 'sent', 'all']), 0.7),
          readStatus: maybe(pick(['read', 'unread', 'all'])),
          senderAddress: maybe(pick([...senders, 'ADA@home.example', 'nobody@home.example'])),
          dateFrom: maybe(new Date(Date.UTC(2025, 11, 1 + Math.floor(random() * 10))).toISOString()),
          dateTo: maybe(new Date(Date.UTC(2025, 11, 8 + Math.floor(random() * 12))).toISOString()),
          hasAttachments: maybe(pick(['true', 'false'])),
          subjectContains: maybe(pick(['plan', 'PLANS', 'über', 'GRÜSSE', 'grüße', '%', '_', '\\', 'å', ' of '])),
          searchText: maybe(pick([...words, 'apple banana', 'Plans', 'durian'])),
          flagged: maybe(pick(['true', 'false'])),
          label: maybe(pick(['Work', 'Home']), 0.2),
        }).filter(([, value]) => value !== undefined),
      );
      const sortBy = pick(['date', 'sender', 'subject', 'size']);
      const sortDirection = pick(['asc', 'desc']);
      const pageSize = pick([3, 7, 50]);
      const expected = all.filter((one) => matches(one, wanted));
      const seen: { id: string; size: number; date: string; subject: string; from: { address: string } }[] = [];
      for (let page = 1; ; page += 1) {
        const query = new URLSearchParams({
          ...wanted,
          sortBy,
          sortDirection,
          page: `${page}`,
          pageSize: `${pageSize}`,
        });
        const { data } = (await scene.ask(ada, 'GET', `/messages?${query.toString()}`, undefined, 200)).body;
        expect([wanted, data.total]).toEqual([wanted, expected.length]);
        if (data.emails.length === 0) break;
        expect(data.emails.length).toBeLessThanOrEqual(pageSize);
        seen.push(...data.emails);
      }
      expect([wanted, seen.map(({ id }) => id).toSorted()]).toEqual([wanted, expected.map(({ id }) => id).toSorted()]);
      const keyOf = { date: 'date', size: 'size' }[sortBy as 'date' | 'size'] as 'date' | 'size' | undefined;
      if (keyOf === undefined) continue;
      const keys = seen.map((one) => one[keyOf]);
      const sorted = keys.toSorted((one, other) => (one < other ? -1 : one > other ? 1 : 0));
      expect(keys).toEqual(sortDirection === 'asc' ? sorted : sorted.toReversed());
    }
  });

  it('put subjects together with their answers', async () => {
    const { data } = (
      await scene.ask(ada, 'GET', '/inbox?sortBy=subject&sortDirection=asc&pageSize=200', undefined, 200)
    ).body;
    const plain = data.emails.map(({ subject }: { subject: string }) => subject.replace(/^Re: /, '').toLowerCase());
    expect(plain).toEqual(plain.toSorted());
  });

  it('say what is wrong with what they are asked', async () => {
    for (const [query, message] of [
      ['page=0', 'page: must be a whole number from 1 to 1000000'],
      ['pageSize=201', 'pageSize: must be a whole number from 1 to 200'],
      ['dateFrom=yesterday', 'dateFrom: is not valid'],
      ['sortBy=colour', 'sortBy: must be date, sender, subject or size'],
      ['readStatus=maybe', 'readStatus: must be read, unread or all'],
      [
        `searchText=${Array.from({ length: 100 }, (_, index) => `w${index}`).join('+')}`,
        'searchText: has too many words',
      ],
      [`subjectContains=${'a'.repeat(501)}`, /^subjectContains: must be at most 500/],
    ] as const) {
      const { status, body } = await scene.ask(ada, 'GET', `/inbox?${query}`);
      expect([query, status, body.error.message]).toEqual([
        query,
        400,
        typeof message === 'string' ? message : expect.stringMatching(message),
      ]);
    }
  });
});
