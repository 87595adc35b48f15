import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockList } from '../../src/cli/kit/block-list.ts';

/** Items of some lines each: the second line of the third item is `2.1`. */
const blocks = (...sizes: number[]): string[][] =>
  sizes.map((size, item) => Array.from({ length: size }, (_, line) => `${item}.${line}`));

describe('a list of blocks', () => {
  it('scrolls no further than the chosen item needs, and through one that is longer than the screen', () => {
    const list = new BlockList();
    const items = blocks(2, 2, 9, 1);
    const after = (key: string): string => {
      expect(list.move(key)).toBe(true);
      return list.view(items, 4).join(' ');
    };
    expect(list.view(items, 4)).toEqual(['0.0', '0.1', '1.0', '1.1']);
    expect(after('j')).toBe('0.0 0.1 1.0 1.1');
    expect(after('down')).toBe('2.0 2.1 2.2 2.3');
    expect(after('j')).toBe('2.3 2.4 2.5 2.6');
    expect(after('j')).toBe('2.5 2.6 2.7 2.8');
    expect(list.isAtEnd).toBe(false);
    expect(after('j')).toBe('2.6 2.7 2.8 3.0');
    expect([list.at, list.isAtEnd]).toEqual([3, true]);
    expect(after('k')).toBe('2.5 2.6 2.7 2.8');
    expect(after('up')).toBe('2.2 2.3 2.4 2.5');
    expect(after('g')).toBe('0.0 0.1 1.0 1.1');
    expect(after('space')).toBe('2.0 2.1 2.2 2.3');
    expect([list.at, list.isAtTop]).toEqual([2, false]);
    expect(after('G')).toBe('2.6 2.7 2.8 3.0');
    expect(list.move('z')).toBe(false);
  });

  it('keeps the chosen item on its line while others come above, until it is sent to the top', () => {
    const list = new BlockList();
    list.view(blocks(2, 2, 2, 2), 4);
    list.move('j');
    list.choose(list.at + 1, true);
    expect(list.view(blocks(3, 2, 2, 2, 2), 4)).toEqual(['1.0', '1.1', '2.0', '2.1']);
    list.toTop();
    expect(list.view(blocks(1, 1, 2, 2), 4)).toEqual(['0.0', '1.0', '2.0', '2.1']);
    expect(new BlockList().view([], 4)).toEqual([]);
  });

  it('always shows what is chosen, whatever is pressed, added and resized', () => {
    const keys = fc.constantFrom('j', 'k', 'space', 'p', 'g', 'G');
    const steps = fc.array(fc.record({ key: keys, room: fc.integer({ min: 1, max: 9 }) }));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), steps, (sizes, all) => {
        const list = new BlockList();
        const items = blocks(...sizes);
        for (const { key, room } of all) {
          const shown = list.view(items, room);
          expect(shown.length).toBe(Math.min(room, items.flat().length));
          const size = items[list.at]?.length ?? 0;
          const own = shown.filter((line) => line.startsWith(`${list.at}.`)).length;
          expect(own).toBe(Math.min(size, room));
          list.move(key);
        }
        list.view(items, 5);
        for (let presses = 0; presses < items.flat().length; presses += 1) {
          list.move('j');
          list.view(items, 5);
        }
        expect(list.isAtEnd).toBe(true);
      }),
    );
  });
});
