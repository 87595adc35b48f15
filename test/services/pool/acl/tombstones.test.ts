import { describe, expect, it } from 'vitest';
import { MAX_TOMBSTONES, type AclTombstone } from '../../../../src/crypto/formats/access-list/document.ts';
import { tombstoneOf, withTombstone, withoutTombstone } from '../../../../src/services/pool/acl/tombstones.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 15) + second * 1_000).toISOString();
const nodeOf = (number: number) => number.toString(16).padStart(40, '0');
const refused = (number: number, kind: AclTombstone['kind'], second = number): AclTombstone => ({
  nodeId: nodeOf(number),
  kind,
  at: at(second),
  by: 'ab'.repeat(12),
});
const full = (kindOf: (number: number) => AclTombstone['kind']) => ({
  tombstones: Array.from({ length: MAX_TOMBSTONES }, (_, number) => refused(number, kindOf(number))),
});

describe('what an access list remembers of refused nodes', () => {
  it('is one thing a node, and a denial makes no less of a ban or a removal', () => {
    const { tombstones } = withTombstone({ tombstones: [refused(1, 'denied')] }, refused(1, 'banned', 9));
    expect(tombstones).toEqual([refused(1, 'banned', 9)]);
    expect(withTombstone({ tombstones }, refused(1, 'denied', 10)).tombstones).toEqual([refused(1, 'banned', 10)]);
    expect(withTombstone({ tombstones: [refused(1, 'removed')] }, refused(1, 'denied', 3)).tombstones).toEqual([
      refused(1, 'removed', 3),
    ]);
    expect(tombstoneOf({ tombstones }, nodeOf(1))?.kind).toBe('banned');
    expect(withoutTombstone({ tombstones }, nodeOf(1))).toEqual([]);
  });

  it('at its limit forgets the oldest denial first', () => {
    const list = full((number) => (number === 5 || number === 700 ? 'denied' : number === 0 ? 'removed' : 'banned'));
    const next = withTombstone(list, refused(5_000, 'removed'));
    expect(next.dropped).toEqual([refused(5, 'denied')]);
    expect(next.tombstones).toHaveLength(MAX_TOMBSTONES);
    expect(next.tombstones.at(-1)).toEqual(refused(5_000, 'removed'));
  });

  it('then the oldest removal, and a denial that comes then is not kept at all', () => {
    const list = full((number) => (number === 30 || number === 40 ? 'removed' : 'banned'));
    expect(withTombstone(list, refused(5_000, 'banned')).dropped).toEqual([refused(30, 'removed')]);
    expect(withTombstone(list, refused(5_000, 'denied')).dropped).toEqual([refused(5_000, 'denied')]);
  });

  it('and never a ban: another one is refused, and a removal takes effect without', () => {
    const list = full(() => 'banned');
    expect(() => withTombstone(list, refused(5_000, 'banned'))).toThrow(expect.objectContaining({ code: 'POOL_FULL' }));
    const removal = withTombstone(list, refused(5_000, 'removed'));
    expect(removal).toEqual({ tombstones: list.tombstones, dropped: [refused(5_000, 'removed')] });
  });
});
