import * as v from 'valibot';

/**
 * Spaces, and what no reader sees: Default_Ignorable_Code_Point, the marks of annotations and the empty Braille pattern. They are written
 * out, because a Unicode class is compiled anew at every start of every command, and takes twenty times as long.
 */
const visibleCharacter =
  // oxlint-disable-next-line no-misleading-character-class -- each of these is meant by itself
  /[^\s\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/u;
const turning = /[\u202a-\u202e\u2066-\u2069]/;

/** Joiners and variation selectors may be anywhere in a text, but are none by themselves. */
export const visible = v.check((text: string) => visibleCharacter.test(text), 'must have visible characters');

/** For a line that others see inside of sentences, which it would turn around up to their end. */
export const keepsDirection = v.check(
  (text: string) => !turning.test(text),
  'must not contain characters that change the direction of text',
);
