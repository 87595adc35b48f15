import type { Screen } from '../kit/screen.ts';

const aLine = 6;

/** A recovery phrase that was just made, with what has to be known about it; nothing where the member brought one. */
export function recoveryPhrase({ width, paint }: Screen, mnemonic: string | undefined): string[] {
  if (mnemonic === undefined) return [];
  const words = mnemonic.split(' ');
  if (!Number.isFinite(width)) return [mnemonic];
  const lines = Array.from({ length: Math.ceil(words.length / aLine) }, (_, index) =>
    words.slice(index * aLine, (index + 1) * aLine),
  );
  return [
    '',
    'This is the recovery phrase. Write it down: it is not shown again.',
    '',
    ...lines.map((line) => `  ${paint('bold', line.join(' '))}`),
    '',
  ];
}
