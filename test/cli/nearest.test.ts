import { describe, expect, it } from 'vitest';
import { isOpposite, nearest } from '../../src/cli/kit/nearest.ts';
import { allCommands, flagsOfCommand } from './all-commands.ts';

const commands = [...(await allCommands()).keys()];

describe('a suggestion', () => {
  it.each([
    ['unlock', 'lock'],
    ['--no-masking', '--masking'],
    ['--masking', '--no-masking'],
    ['unshare', 'share'],
    ['demote', 'promote'],
    ['remove', 'add'],
    ['logout', 'login'],
  ])('for %s is never %s', (typed, other) => {
    expect(nearest(typed, [other])).toEqual([]);
  });

  it('is never the opposite of what is one letter from a command', { tags: 'soak' }, () => {
    for (const command of commands) {
      for (let at = 0; at < command.length; at += 1) {
        const mistyped = command.slice(0, at) + command.slice(at + 1);
        const [best = '', ...others] = nearest(mistyped, commands);
        const verb = (words: string) => words.split(' ').at(-1) ?? '';
        for (const other of others)
          expect(isOpposite(verb(best), verb(other)), `${mistyped}: ${best}, ${other}`).toBe(false);
      }
    }
  });

  it('finds every option that lacks a letter', async () => {
    for (const command of (await allCommands()).values()) {
      const flags = Object.keys(flagsOfCommand(command)).map((name) => `--${name}`);
      for (const flag of flags.filter(({ length }) => length > 6))
        expect(nearest(flag.slice(0, -1), flags)).toContain(flag);
    }
  });
});
