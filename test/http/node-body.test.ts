import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readBody } from '../../src/http/json-body.ts';
import { readWhole } from '../../src/http/node-body.ts';

/** A request as Node's server hands it on: what is in the stream, and a body that must not be asked for. */
function served(stream: Readable, length: number): Request {
  const request = new Request('http://node.test/', {
    method: 'POST',
    body: 'of the web',
    headers: { 'content-length': String(length) },
  });
  return Object.assign(request, { runtime: { name: 'node', node: { req: stream } } });
}

describe('a body of Node', () => {
  it.each([[[]], [['a']], [['a', 'b', 'cd']]])('of the chunks %j comes whole', async (chunks) => {
    const whole = await readWhole(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));
    expect(whole.toString()).toBe(chunks.join(''));
  });

  it('is read as it was sent, where the request has one', async () => {
    const sent = Buffer.from([0xff, 0xef, 0xbb, 0xbf, 0]);
    expect([...(await readBody(served(Readable.from([sent]), 5), 5))]).toEqual([...sent]);
    await expect(readBody(served(Readable.from([sent]), 6), 5)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  });

  it.each([undefined, new Error('the connection was reset')])('that breaks off is refused', async (error) => {
    const stream = new PassThrough();
    const reading = readBody(served(stream, 5), 5);
    stream.write('a');
    stream.destroy(error);
    await expect(reading).rejects.toMatchObject({ kind: 'invalid', code: 'VALIDATION_ERROR' });
  });

  it('that is over before anybody reads it is refused at once', async () => {
    const gone = new PassThrough();
    gone.destroy();
    await once(gone, 'close');
    await expect(readWhole(gone)).rejects.toThrow('closed before its end');
    const read = Readable.from([Buffer.from('a')]);
    await readWhole(read);
    await expect(readWhole(read)).rejects.toThrow('closed before its end');
  });
});
