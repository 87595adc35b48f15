import { describe, expect, it } from 'vitest';
import { createOffload } from '../../../src/platform/workers/offload.ts';
import { parseOffThread } from '../../../src/services/mail/message/parse-off-thread.ts';
import { parseMessage } from '../../../src/services/mail/message/parse.ts';
import { lentOffload } from '../../support/lent-offload.ts';

describe('a long message', () => {
  const context = { nonce: 'ab'.repeat(16), segments: [{ size: 7, width: 76 }] };

  it.each([10, 300_000])('is read in a thread as it is in place (%d characters)', async (length) => {
    const skeleton = Buffer.from(`From: Ada <ada@home.example>\r\nSubject: x\r\n\r\n${'é '.repeat(length / 2)}`);
    const message = await parseOffThread(lentOffload(), { skeleton, ...context });
    expect(message).toEqual(await parseMessage(skeleton, context));
    expect(message.textBody).toHaveLength(length);
    expect(message.attachments).toMatchObject([{ segment: 0, size: 7 }]);
  });

  it('is read from its beginning where a thread has no memory for it', { tags: 'soak' }, async () => {
    await using offload = createOffload(new URL('../../support/hoarding-parser.ts', import.meta.url));
    const skeleton = Buffer.from(`From: Ada <ada@home.example>\r\nSubject: x\r\n\r\n${'x'.repeat(300_000)}`);
    const message = await parseOffThread(offload, { skeleton, ...context });
    expect(message).toMatchObject({ subject: 'x', attachments: [{ segment: 0, path: -1 }] });
    expect(message.textBody).toMatch(/^x{200000,}$/);
    expect(message.problems[0]).toBe('The message is too complicated to be read. Its beginning is shown.');
  });
});
