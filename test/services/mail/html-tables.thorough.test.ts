import { describe, expect, it } from 'vitest';
import { htmlToText } from '../../../src/services/mail/message/html-text.ts';

describe('tables of HTML as text', () => {
  const size = 100_000;
  it.each([
    '<table>',
    '<tr>',
    '<td>',
    '<td>a</td>',
    '<tr><td colspan=99999>a',
    '<table><tr><td>a<br>b',
    '<table><tr><td><b>a<td>',
    '<td><th>a',
    '<b></i>',
    '<tbody><tr><td>a',
    '<table><td>a</table>',
    '<tr><td><br><br><br>',
  ])('survive %s a hundred thousand times', (text) => {
    const shown = htmlToText(`Hello ${text.repeat(size)}`);
    expect(shown).toMatch(/^Hello/);
    expect(shown.length).toBeLessThanOrEqual(256 * 1024);
  });
});
