import type { Screen } from '../kit/screen.ts';

const aLine = 6;

/** Shows a new recovery phrase with the advice for it. Empty if the member supplied their own phrase. */
export function recoveryPhrase(
  { width, paint }: Pick<Screen, 'width' | 'paint'>,
  mnemonic: string | undefined,
): string[] {
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
