import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileText } from '../../../../src/services/contacts/vcard/charset.ts';
import { checkedCard } from '../../../../src/services/contacts/vcard/check.ts';
import { folded, propertiesOf } from '../../../../src/services/contacts/vcard/lines.ts';
import { fromOldVersion } from '../../../../src/services/contacts/vcard/old-version.ts';
import { cardsIn } from '../../../../src/services/contacts/vcard/split.ts';
import { escapeValue, unescapeValue } from '../../../../src/services/contacts/vcard/values.ts';
import { changedCard, newCard, withUid } from '../../../../src/services/contacts/vcard/write.ts';
import { programs } from './programs.ts';

const names = Object.keys(programs) as (keyof typeof programs)[];
const NOW = Date.UTC(2026, 0, 15, 12);
const readable = fc.string({ unit: 'grapheme' }).map((text) => unescapeValue(escapeValue(text)));

describe('vCards', () => {
  it.each(names)('of %s are the same octets when nothing is changed', (name) => {
    const text = programs[name];
    const { reading, properties } = checkedCard(text);
    expect(properties.map(({ raw }) => raw).join('')).toBe(text);
    const { emails, phones, urls, addresses, displayName, title, note, categories, organization, units } = reading;
    const same = { emails, phones, urls, addresses, displayName, note, categories, organization, units };
    const changed = changedCard(text, { ...same, ...(title !== '' && { title }), birthday: reading.birthday }, NOW);
    expect(changed).toBe(text.replace(/^REV.*$/m, /^REV/m.test(text) ? 'REV:20260115T120000Z' : ''));
  });

  it('are folded and unfolded without loss, within 75 octets', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
        const value = escapeValue(text);
        const line = folded(`NOTE:${value}`);
        for (const part of line.split('\r\n')) expect(Buffer.byteLength(part)).toBeLessThanOrEqual(75);
        const [property] = propertiesOf(line);
        expect(property).toMatchObject({ name: 'NOTE', value });
      }),
    );
  });

  it('have again what was written into them', () => {
    const list = fc.array(
      readable.filter((text) => text.trim() !== '' && text.trim() === text && !/\n/.test(text)),
      {
        maxLength: 4,
      },
    );
    fc.assert(
      fc.property(readable, list, fc.uniqueArray(readable), (note, units, others) => {
        const categories = [...new Set(others.map((text) => text.trim()))].filter((text) => text !== '');
        const fields = { displayName: 'Ada', note: note.trim(), organization: 'Engines; Ltd, \\', units, categories };
        const { reading } = checkedCard(newCard(fields, 'one', NOW));
        expect(reading).toMatchObject({ ...fields, uid: 'one' });
      }),
    );
  });

  it('keep all that no field shows when a field changes, whatever it is', () => {
    const name = fc.stringMatching(/^X-[A-Z0-9-]{1,10}$/);
    const odd = fc.record({ name, value: fc.string({ unit: 'grapheme' }).map(escapeValue) });
    fc.assert(
      fc.property(fc.array(odd), fc.constantFrom('\r\n', '\n'), (others, end) => {
        const lines = others.map((one) => folded(`${one.name}:${one.value}`, end)).join('');
        const text = ['BEGIN:VCARD', 'VERSION:4.0', 'FN:Ada', `${lines}TITLE:One`, 'END:VCARD', ''].join(end);
        const changed = changedCard(text, { title: 'Two', emails: [{ value: 'a@b.example' }] }, NOW);
        expect(changed).toBe(
          text.replace('TITLE:One', 'TITLE:Two').replace('END:VCARD', `EMAIL:a@b.example${end}END:VCARD`),
        );
      }),
    );
  });

  it('get a UID behind their version, with the line ends that they have', () => {
    expect(withUid('BEGIN:VCARD\nVERSION:4.0\nFN:Ada\nEND:VCARD', 'a;b')).toBe(
      'BEGIN:VCARD\nVERSION:4.0\nUID:a\\;b\nFN:Ada\nEND:VCARD',
    );
    expect(withUid('BEGIN:VCARD\nVERSION:4.0\nUID:one\nFN:Ada\nEND:VCARD', 'two')).toContain('\nUID:two\n');
  });

  it('of a file are found by themselves, whatever is wrong with their neighbours', () => {
    const one = 'BEGIN:VCARD\nFN:A\nEND:VCARD\n';
    const file = `odd\nodd\n${one}begin:vcard\nFN:B\n${one}\n\nBEGIN:VCARD\nAGENT:\n${one}END:VCARD\nBEGIN:VCARD\nFN:C`;
    expect(Array.from(cardsIn(file), ({ line, wrong }) => [line, wrong])).toEqual([
      [1, 'Here is something that belongs to no vCard.'],
      [3, undefined],
      [6, 'The vCard has no end.'],
      [8, undefined],
      [13, undefined],
      [19, 'The vCard has no end.'],
    ]);
  });

  it('of version 2.1 that cannot be read are refused, and never hang', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('A', ';ENCODING=QUOTED-PRINTABLE:', '=', '\n', ' ', 'AGENT:\n', 'PHOTO;BASE64:', '\n\n', 'ü'),
        ),
        (parts) => {
          const text = `BEGIN:VCARD\nVERSION:2.1\n${parts.join('')}\nEND:VCARD\n`;
          try {
            expect(fromOldVersion(text, 'text')).toMatch(/^BEGIN:VCARD\r\nVERSION:3\.0\r\nFN:/);
          } catch (error) {
            expect(error).toMatchObject({ code: 'VALIDATION_ERROR' });
          }
        },
      ),
    );
  });

  it('are read from UTF-8 and UTF-16 with their marks', () => {
    const text = 'BEGIN:VCARD\nFN:Zoë\n';
    const little = Buffer.from(`\ufeff${text}`, 'utf16le');
    for (const bytes of [Buffer.from(`\ufeff${text}`), Buffer.from(text), little, Buffer.from(little).swap16()])
      expect(fileText(bytes)).toEqual({ text, form: 'text' });
    expect(fileText(Buffer.from(text, 'latin1'))).toEqual({ text, form: 'binary' });
  });
});
