import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readRows, type Delimiter } from '../../../../../src/services/passvault/transfer/import/csv-rows.ts';
import { toUtf8 } from '../../../../../src/services/passvault/transfer/import/file-text.ts';
import { runs } from '../../../../support/stage.ts';

const pace = { spend: () => undefined, reached: () => {} };

async function read(text: string, delimiter: Delimiter): Promise<unknown[]> {
  const rows: unknown[] = [];
  await readRows(toUtf8(Buffer.from(text)), delimiter, pace, (row) =>
    rows.push('cells' in row ? row.cells : row.reason),
  );
  return rows;
}

/** Cells as any writer may write them: quoted always, or only where they must be. */
const cell = fc.tuple(
  fc.string({ unit: fc.constantFrom('a', 'é', ' ', '"', ',', ';', '\t', '\n', '\r', '\r\n', '1', '='), maxLength: 6 }),
  fc.boolean(),
);

it.each([',', ';', '\t'] as const)(
  'reads what another reader does, of any well-formed table that %j separates',
  async (delimiter) => {
    const table = fc.tuple(
      fc.array(fc.array(cell, { minLength: 1, maxLength: 5 }), { maxLength: 6 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.boolean(),
    );
    await fc.assert(
      fc.asyncProperty(table, async ([rows, lineEnd, ends]) => {
        const lines = rows.map((row) =>
          row
            .map(([text, quote]) => (quote || /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text))
            .join(delimiter),
        );
        const text = lines.join(lineEnd) + (ends ? lineEnd : '');
        const expected = parse(text, {
          delimiter,
          record_delimiter: lineEnd,
          relax_column_count: true,
          skip_empty_lines: true,
        });
        expect(await read(text, delimiter)).toEqual(expected);
      }),
      { numRuns: runs(300) },
    );
  },
);
