import { recoveryPhrase } from '../accounts/recovery-phrase.ts';
import { aside } from '../kit/aside.ts';
import { missingInput } from '../kit/missing-input.ts';
import { prompts, type Prompts } from '../kit/prompts.ts';
import { isInteractive, paintFor, widthOf, type Terminal } from '../kit/terminal.ts';

/**
 * Makes the key of a new member on this machine. The phrase is shown on a screen of its own, which leaves nothing behind, and goes nowhere
 * else. Three of its words are asked for, so that it was written down before anything depends on it.
 *
 * @returns the public key, hex
 * @throws Problem invalid INPUT_MISSING without a terminal
 */
export async function keptPhrase(terminal: Terminal): Promise<string> {
  if (!isInteractive(terminal)) throw missingInput({ path: 'publicKey', by: '--public-key or --own' });
  const { newMember } = await import('../../client/quorum/new-member.ts');
  const { mnemonic, publicKey, asked } = await newMember();
  // For the stream on which it is shown: the answer may go to a file.
  const { stderr, env } = terminal;
  const text = recoveryPhrase({ width: widthOf(stderr), paint: paintFor(stderr, env) }, mnemonic).join('\n');
  const show = async () => await aside(terminal, text);
  const words = mnemonic.split(' ');
  await show();
  const asking = prompts(terminal);
  for (const position of asked) await askedWord(asking, position, words[position - 1] ?? '', show);
  return publicKey;
}

async function askedWord(asking: Prompts, position: number, word: string, show: () => Promise<void>): Promise<void> {
  let message = `Word ${position} of the phrase (Enter alone shows it again)`;
  for (;;) {
    const answer = (await asking.text({ message })).trim().toLowerCase();
    if (answer === word) return;
    if (answer === '') await show();
    else message = `That is not word ${position}. Word ${position} (Enter alone shows the phrase again)`;
  }
}
