import { buffer } from 'node:stream/consumers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filtered } from '../../../src/cli/mail/files/line-ends.ts';
import { fieldsOfState, stateOfHead, withoutFlags } from '../../../src/cli/mail/files/mbox-flags.ts';

const none = { read: false, keywords: [], inTrash: false };

async function* inPieces(whole: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < whole.length; at += size) yield Buffer.from(whole.slice(at, at + size), 'latin1');
}

const stripped = async (whole: string, size = 7) =>
  (await buffer(filtered(inPieces(whole, size), withoutFlags()))).toString('latin1');

describe('flags of an mbox', () => {
  it('are read as mutt, Dovecot and Thunderbird write them', () => {
    expect(stateOfHead('From: a\nStatus: RO\nX-Status: AF\n\nStatus: D')).toEqual({
      read: true,
      keywords: ['$answered', '$flagged'],
      inTrash: false,
    });
    expect(stateOfHead('X-Mozilla-Status: 1007\r\nX-Mozilla-Status2: 00000000\r\nFrom: a\r\n\r\n')).toEqual({
      read: true,
      keywords: ['$answered', '$flagged', '$forwarded'],
      inTrash: false,
    });
    expect(stateOfHead('status: O\nx-status: DT')).toEqual({ read: false, keywords: ['$draft'], inTrash: true });
    expect(stateOfHead('X-Mozilla-Status: 0009')).toEqual({ ...none, read: true, inTrash: true });
    expect(stateOfHead('From: a\nStatus: \n\nStatus: RO')).toEqual(none);
    expect(stateOfHead('From: a\n\n')).toEqual(none);
  });

  it('are no values that mean something else', () => {
    expect(stateOfHead('Status: Resolved\nX-Status: 200 OK\nX-Mozilla-Status: RO\nX-Mozilla-Status2: 1')).toEqual(none);
  });

  it('are written for all of these programs', () => {
    expect(fieldsOfState(none)).toBe('Status: O\nX-Mozilla-Status: 0000\n');
    expect(fieldsOfState({ read: true, keywords: ['$forwarded', '$flagged', '$answered', 'x'], inTrash: false })).toBe(
      'Status: RO\nX-Status: AF\nX-Mozilla-Status: 1007\n',
    );
    expect(fieldsOfState({ read: true, keywords: ['$draft'], inTrash: true })).toBe(
      'Status: RO\nX-Status: DT\nX-Mozilla-Status: 0001\n',
    );
  });

  it('are no part of the message', async () => {
    expect(
      await stripped('Status: RO\nA: b\nX-Status: \n  x\nX-Mozilla-Status2: 00000000\nC: d\n e\n\nStatus: RO\n'),
    ).toBe('A: b\nC: d\n e\n\nStatus: RO\n');
    const other = `Status: Resolved\n ${'x'.repeat(1000)}\nX-${'y'.repeat(1000)}: z\n\nStatus: RO\n`;
    expect(await stripped(other)).toBe(other);
    expect(await stripped('\nStatus: RO\n')).toBe('\nStatus: RO\n');
    expect(await stripped('')).toBe('');
  });

  it('come back, with the message, wherever pieces end', async () => {
    const line = fc.constantFrom('A: b', ' c', 'X-Long: '.padEnd(250, 'x'), 'Status: new', 'text', 'Statu', '>From a');
    const state = fc.record({
      read: fc.boolean(),
      keywords: fc.subarray(['$answered', '$draft', '$flagged', '$forwarded']),
      inTrash: fc.boolean(),
    });
    const message = fc.tuple(fc.array(line), fc.array(line));
    await fc.assert(
      fc.asyncProperty(state, message, fc.integer({ min: 1, max: 300 }), async (given, [head, body], size) => {
        const whole = `A: b\n${[...head, '', ...body].join('\n')}\n`;
        const file = fieldsOfState(given) + whole;
        expect(stateOfHead(file)).toEqual(given);
        expect(await stripped(file, size)).toBe(whole);
      }),
    );
  });
});
