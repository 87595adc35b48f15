import { wordOf } from './vault/entry-fields.ts';

/** What a field of the API is called where somebody types it: the option of the command, or the word of an assignment. */
export function saidFor(path: string, { command, flags = [] }: { command: string; flags?: readonly string[] }): string {
  const flag =
    path
      .split('.')
      .at(-1)
      ?.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`) ?? '';
  if (flags.includes(flag)) return `--${flag}`;
  return command.startsWith('vault ') ? (wordOf(path) ?? path) : path;
}
