import { describe, expect, it } from 'vitest';
import { Problem } from '../../../src/base/problem.ts';
import { readXml } from '../../../src/http/dav/xml/read.ts';
import { element, text } from '../../../src/http/dav/xml/write.ts';
import { pathOf, segmentsOf, segmentsOfHref } from '../../../src/http/dav/dav-paths.ts';
import { conditionsOf, depthOf, isBrief } from '../../../src/http/dav/conditions.ts';

const read = async (xml: string | Uint8Array) => await readXml(typeof xml === 'string' ? Buffer.from(xml) : xml);
const refusal = async (xml: string | Uint8Array) =>
  await read(xml).then(
    () => 'read',
    (error: unknown) => (error instanceof Problem ? `${error.code}: ${error.message}` : String(error)),
  );

describe('XML of programs', () => {
  it('is read with namespaces, whatever its prefixes are', async () => {
    const xml = `<?xml version="1.0"?><A:propfind xmlns:A="DAV:" xmlns="urn:ietf:params:xml:ns:caldav">
      <A:prop><calendar-data/><B:x xmlns:B="urn:b" t="1">a&amp;&#x62;<![CDATA[<c>]]></B:x></A:prop></A:propfind>`;
    expect(await read(xml)).toMatchObject({
      name: 'd:propfind',
      children: [
        {
          name: 'd:prop',
          children: [
            { name: 'c:calendar-data', children: [] },
            { name: '{urn:b}x', attributes: { t: '1' }, text: 'a&b<c>' },
          ],
        },
      ],
    });
    expect(await read('')).toBeUndefined();
    expect(await read('﻿ \n')).toBeUndefined();
  });

  it('has no document type, so no entities: neither bombs nor files of the server', async () => {
    const bomb = `<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><a>&c;</a>`;
    const outside = `<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><a>&f;</a>`;
    const remote = `<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd"><a/>`;
    for (const xml of [bomb, outside, remote])
      expect(await refusal(xml)).toBe('VALIDATION_ERROR: The XML must have no document type declaration.');
    expect(await refusal('<a>&undeclared;</a>')).toBe('VALIDATION_ERROR: The body is not well-formed XML.');
  });

  it('is bounded in depth, elements and attributes', async () => {
    const nested = (depth: number) => '<a>'.repeat(depth) + '</a>'.repeat(depth);
    expect(await refusal(nested(32))).toBe('read');
    expect(await refusal(nested(33))).toBe('VALIDATION_ERROR: The XML must be nested at most 32 levels deep.');
    expect(await refusal(nested(100_000))).toBe('VALIDATION_ERROR: The XML must be nested at most 32 levels deep.');
    const many = (count: number) => `<a>${'<b/>'.repeat(count - 1)}</a>`;
    expect(await refusal(many(20_000))).toBe('read');
    expect(await refusal(many(20_001))).toBe('VALIDATION_ERROR: The XML must have at most 20000 elements.');
    const wide = (count: number) => `<a ${Array.from({ length: count }, (_, index) => `b${index}=""`).join(' ')}/>`;
    expect(await refusal(wide(32))).toBe('read');
    expect(await refusal(wide(33))).toBe('VALIDATION_ERROR: An element must have at most 32 attributes.');
  });

  it.each([
    '<a>',
    '<a></b>',
    'a',
    '<a/><b/>',
    '<x:a/>',
    '<a b=1/>',
    '<?xml version="1.0"?>',
    '<a>\u0000</a>',
    '<a>&#0;</a>',
  ])('is refused when it is none: %j', async (xml) => {
    expect(await refusal(xml)).toBe('VALIDATION_ERROR: The body is not well-formed XML.');
  });

  it('is UTF-8', async () => {
    expect(await refusal(Uint8Array.of(0x3c, 0x61, 0x3e, 0xff))).toBe('VALIDATION_ERROR: The XML must be UTF-8.');
    expect(await refusal(Buffer.from('\ufeff<a/>', 'utf16le'))).toMatch(/^VALIDATION_ERROR/);
  });

  it('is written so that it stays what it is', async () => {
    const value = 'a<b>&"\r\n\u0001\ufffe\u{1f600}]]>';
    const xml = element('d:prop', text(value), { name: '"<' });
    expect(await read(`<d:x xmlns:d="DAV:">${xml}</d:x>`)).toMatchObject({
      children: [{ text: 'a<b>&"\r\n\u{1f600}]]>', attributes: { name: '"<' } }],
    });
    expect(element('{urn:a"b}c')).toBe('<x:c xmlns:x="urn:a&quot;b"/>');
  });
});

describe('paths', () => {
  it.each([
    ['/dav/', []],
    ['/', []],
    ['/dav/calendars/a/', ['calendars', 'a']],
    ['/dav/calendars/a/b%40c%20d.ics', ['calendars', 'a', 'b@c d.ics']],
    ['/dav/a/%E2%82%AC', ['a', '€']],
  ])('%s', (path, segments) => {
    expect(segmentsOf(path)).toEqual(segments);
    if (segments.length > 1) expect(segmentsOf(pathOf(...segments))).toEqual(segments);
  });

  it.each([
    '/other/a',
    '/dav//a',
    '/dav/a//b',
    '/dav/a/../b',
    '/dav/a/%2e%2E/b',
    '/dav/a/%2Fetc',
    '/dav/a/b%5Cc',
    '/dav/a/%00',
    '/dav/a/%0a',
    '/dav/a/%ff',
    '/dav/a/%',
    `/dav/a/${'a'.repeat(256)}`,
  ])('none: %s', (path) => {
    expect(segmentsOf(path)).toBeUndefined();
  });

  it('in bodies may be whole addresses, of whatever host a proxy has', () => {
    expect(segmentsOfHref('https://calendar.example:8443/dav/calendars/a/b.ics')).toEqual(['calendars', 'a', 'b.ics']);
    expect(segmentsOfHref(' /dav/calendars/a/b.ics ')).toEqual(['calendars', 'a', 'b.ics']);
    for (const href of ['', 'b.ics', 'ftp://a/dav/b', '//host/dav/a', 'https://host', 'javascript:alert(1)'])
      expect(segmentsOfHref(href)).toBeUndefined();
  });
});

describe('headers', () => {
  const headers = (given: Record<string, string>) => new Headers(given);

  it('name conditions', () => {
    expect(conditionsOf(headers({}))).toEqual({});
    expect(conditionsOf(headers({ 'if-match': '"a", W/"b", "c"', 'if-none-match': '*' }))).toEqual({
      ifMatch: ['a', 'c'],
      ifNoneMatch: '*',
    });
    // What cannot be a tag names none: the condition stays, and is never met.
    expect(conditionsOf(headers({ 'if-match': 'nothing' }))).toEqual({ ifMatch: [] });
    expect(conditionsOf(headers({ 'if-schedule-tag-match': '"s"' }))).toEqual({ ifScheduleTagMatch: 's' });
  });

  it('name a depth, of which no header is the whole tree', () => {
    expect(['0', '1', 'infinity', '2', ''].map((value) => depthOf(headers({ depth: value })))).toEqual([
      0,
      1,
      undefined,
      undefined,
      undefined,
    ]);
    expect(depthOf(headers({}))).toBeUndefined();
  });

  it('ask for little', () => {
    expect(isBrief(headers({ prefer: 'return=minimal' }))).toBe(true);
    expect(isBrief(headers({ prefer: 'depth-noroot, return="minimal"' }))).toBe(true);
    expect(isBrief(headers({ brief: 't' }))).toBe(true);
    expect(isBrief(headers({ prefer: 'return=representation', brief: 'f' }))).toBe(false);
  });
});
