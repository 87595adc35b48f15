import { describe, expect, it } from 'vitest';
import { messagesText } from '../../../src/cli/chat/message-view.ts';
import { look, measure, me, said } from './messenger/fixture.ts';

describe('messages on a terminal', () => {
  it('say how many have read them, where a number is known and somebody has', () => {
    const own = (seq: number, more: object) => said(seq, `Text ${seq}`, { senderId: me.id, ...more });
    const shown = [own(1, { pinned: true, readBy: 12 }), own(2, { readBy: 0 }), own(3, {})];
    const lines = messagesText({ ...look.screen, measure }, shown).split('\n');
    expect(lines[0]).toMatch(/ {2}pinned, read by 12$/);
    expect(lines.join('\n').match(/read by/g)).toHaveLength(1);
  });
});
