import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { bothEngines } from '../../support/stores.ts';
import { depth, openDav, propfindBody } from './dav-scene.ts';

/** What a program asks, one request after another, in the form that its documentation or its source shows. */
interface Recorded {
  readonly program: string;
  readonly source: string;
  readonly requests: readonly RecordedRequest[];
}

interface RecordedRequest {
  readonly about: string;
  readonly method: string;
  /** with `{member}`, `{calendar}`, `{book}` and what earlier answers had */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: readonly string[];
  readonly lineEnd?: string;
  readonly anonymous?: true;
  readonly status: number;
  /** properties that have to be there, by the addresses of their responses; an asterisk is any value */
  readonly found?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** headers of the answer that later requests have */
  readonly keep?: Readonly<Record<string, string>>;
}

const folder = new URL('../../vectors/dav/', import.meta.url);
const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
const recorded = await Promise.all(
  files.map(async (name) => JSON.parse(await readFile(new URL(name, folder), 'utf8')) as Recorded),
);

describe.each(bothEngines)('requests of programs on %s', (engine) => {
  it.each(recorded.map((one) => [one.program, one] as const))(
    'of %s are answered',
    async (_program, { requests, source }) => {
      expect(source).not.toBe('');
      await using scene = await openDav(engine);
      const { ann } = scene;
      const { id } = await scene.calendarOf(ann);
      const books = await scene.dav(ann, 'PROPFIND', `/dav/contacts/${ann.memberId}/`, {
        headers: depth('1'),
        body: propfindBody('d:displayname'),
      });
      const [book = ''] = [...books.responses].find(([, { found }]) => found['d:displayname'] === 'Contacts') ?? [];
      const known: Record<string, string> = {
        member: ann.memberId,
        calendar: `/dav/calendars/${ann.memberId}/${id}/`,
        book,
      };
      const filled = (text: string) => text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => known[name] ?? whole);
      for (const {
        about,
        method,
        path,
        headers,
        body,
        lineEnd = '\n',
        anonymous,
        status,
        found = {},
        keep = {},
      } of requests) {
        const answer = await scene.dav(ann, method, filled(path), {
          headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)])),
          ...(body !== undefined && { body: filled(body.join(lineEnd)) + (lineEnd === '\n' ? '' : lineEnd) }),
          ...(anonymous === true && { authorization: '' }),
        });
        expect([about, answer.status, status === answer.status ? '' : answer.text]).toEqual([about, status, '']);
        for (const [href, properties] of Object.entries(found)) {
          const seen = answer.responses.get(filled(href))?.found ?? {};
          const wanted = Object.entries(properties).map(([name, value]) => [
            name,
            value === '*' ? expect.stringMatching(/./) : filled(value),
          ]);
          expect([about, seen]).toEqual([about, expect.objectContaining(Object.fromEntries(wanted) as object)]);
        }
        for (const [header, name] of Object.entries(keep)) known[name] = answer.headers.get(header) ?? '';
        // A program that wants little is told only what there is.
        if (headers['brief'] === 't' && method === 'PROPFIND')
          expect([about, [...answer.responses.values()].flatMap(({ missing }) => missing[404] ?? [])]).toEqual([
            about,
            [],
          ]);
        expect(answer.headers.get('content-type') ?? '').not.toContain('html');
      }
    },
  );
});
