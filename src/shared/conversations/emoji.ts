import { fieldProblem } from '../../base/problem.ts';

/** `\ufe0f` asks for the picture of a character that is shown as text by itself. */
const PICTURE = '\ufe0f';
const shownAsText = /^(?!\p{Emoji_Presentation})\p{Emoji}$/u;
const skinTone = /^\p{Emoji_Modifier}$/u;
// The flag has no literal in the language that this is compiled to.
const oneEmoji = new RegExp(String.raw`^\p{RGI_Emoji}$`, 'v');

/**
 * One emoji in its full spelling, so that ❤ with and without its selector are the same reaction. Skin tones stay different.
 * @throws Problem invalid VALIDATION_ERROR for anything but one emoji that is recommended for general interchange
 */
export function fullyQualified(text: string): string {
  const characters = Array.from(text.normalize('NFC')).filter((character) => character !== PICTURE);
  const full = characters
    .map((character, at) =>
      shownAsText.test(character) && !skinTone.test(characters[at + 1] ?? '') ? character + PICTURE : character,
    )
    .join('');
  if (!oneEmoji.test(full)) throw fieldProblem('emoji', 'must be one emoji');
  return full;
}
