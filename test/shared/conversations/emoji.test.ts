import { describe, expect, it } from 'vitest';
import { fullyQualified } from '../../../src/shared/conversations/emoji.ts';

/** Written so that it can be read which characters there are. */
const of = (...codes: number[]): string => String.fromCodePoint(...codes);
const [PICTURE, TEXT, JOINER, KEYCAP] = [0xfe0f, 0xfe0e, 0x200d, 0x20e3];
const [HEART, FIRE, THUMB, MEDIUM, MAN, WOMAN, LAPTOP, RAINBOW, FLAG] = [
  0x2764, 0x1f525, 0x1f44d, 0x1f3fd, 0x1f468, 0x1f469, 0x1f4bb, 0x1f308, 0x1f3f3,
];
const EYE = 0x1f441;
const BUBBLE = 0x1f5e8;

describe('one emoji', () => {
  it.each([
    ['of one character', of(THUMB), of(THUMB)],
    ['that asks for its picture without need', of(THUMB, PICTURE), of(THUMB)],
    ['that is text by itself', of(HEART), of(HEART, PICTURE)],
    ['that asks for its picture', of(HEART, PICTURE), of(HEART, PICTURE)],
    ['with a skin tone', of(THUMB, MEDIUM), of(THUMB, MEDIUM)],
    ['that is text by itself, with a skin tone', of(0x261d, MEDIUM), of(0x261d, MEDIUM)],
    ['with a skin tone behind a picture', of(0x261d, PICTURE, MEDIUM), of(0x261d, MEDIUM)],
    ['that is joined', of(WOMAN, JOINER, LAPTOP), of(WOMAN, JOINER, LAPTOP)],
    ['that is joined, with a skin tone', of(WOMAN, MEDIUM, JOINER, LAPTOP), of(WOMAN, MEDIUM, JOINER, LAPTOP)],
    ['that is joined with text', of(HEART, JOINER, FIRE), of(HEART, PICTURE, JOINER, FIRE)],
    ['of a couple', of(WOMAN, JOINER, HEART, JOINER, MAN), of(WOMAN, JOINER, HEART, PICTURE, JOINER, MAN)],
    ['of two that are text', of(EYE, JOINER, BUBBLE), of(EYE, PICTURE, JOINER, BUBBLE, PICTURE)],
    ['that is a flag of colours', of(FLAG, JOINER, RAINBOW), of(FLAG, PICTURE, JOINER, RAINBOW)],
    ['that is a key', of(0x31, KEYCAP), of(0x31, PICTURE, KEYCAP)],
    ['that is a key and asks for its picture', of(0x23, PICTURE, KEYCAP), of(0x23, PICTURE, KEYCAP)],
    ['that is the flag of a country', of(0x1f1e9, 0x1f1ea), of(0x1f1e9, 0x1f1ea)],
    [
      'that is the flag of a part of a country',
      of(0x1f3f4, 0xe0067, 0xe0062, 0xe0073, 0xe0063, 0xe0074, 0xe007f),
      of(0x1f3f4, 0xe0067, 0xe0062, 0xe0073, 0xe0063, 0xe0074, 0xe007f),
    ],
    ['that is a sign', of(0xa9), of(0xa9, PICTURE)],
  ])('%s is spelled in full', (_, given, full) => {
    expect(fullyQualified(given)).toBe(full);
    expect(fullyQualified(full)).toBe(full);
  });

  it.each([
    ['nothing', ''],
    ['a letter', 'a'],
    ['a digit', '1'],
    ['text', ':heart:'],
    ['two of them', of(THUMB, THUMB)],
    ['one and a letter', `${of(THUMB)}a`],
    ['one and a line', `${of(THUMB)}\n`],
    ['one that is shown as text', of(HEART, TEXT)],
    ['a selector', of(PICTURE)],
    ['a joiner', of(JOINER)],
    ['what cannot be joined', of(THUMB, JOINER, FIRE)],
    ['half of a flag', of(0x1f1e9)],
    ['the flag of no country', of(0x1f1fd, 0x1f1fd)],
    ['two skin tones', of(THUMB, MEDIUM, MEDIUM)],
    ['half of a character', '\ud83d'],
  ])('is not %s', (_, given) => {
    expect(() => fullyQualified(given)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR' }));
  });
});
