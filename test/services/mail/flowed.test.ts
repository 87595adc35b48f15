import { describe, expect, it } from 'vitest';
import { latin, parsed, usual } from '../../support/mail-messages.ts';

async function textOf(parameters: string, ...lines: readonly string[]): Promise<string | undefined> {
  const message = latin(...usual, `Content-Type: text/plain; charset=utf-8; ${parameters}`, '', ...lines);
  return (await parsed(message)).textBody?.replace(/\n$/, '');
}

describe('flowed text', () => {
  it('has its lines joined', async () => {
    expect(await textOf('format=flowed', 'one ', 'two', 'three ', '', 'four')).toBe('one two\nthree \n\nfour');
    expect(await textOf('format=fixed', 'one ', 'two')).toBe('one \ntwo');
    expect(await textOf('', 'one ', 'two')).toBe('one \ntwo');
    expect(await textOf('Format="Flowed"', 'one ', 'two')).toBe('one two');
  });

  it('keeps quotes of different depths apart', async () => {
    expect(await textOf('format=flowed', '>> the oldest ', '>> words ', '> an answer ', 'and mine ', 'to it')).toBe(
      '>> the oldest words \n> an answer \nand mine to it',
    );
    // RFC 3676, 4.5
    expect(
      await textOf(
        'format=flowed',
        '> Thou villainous ill-breeding spongy dizzy-eyed ',
        '> reeky elf-skinned pigeon-egg! ',
        '>> Thou artless swag-bellied milk-livered ',
        '>> dismal-dreaming idle-headed scut!',
        '>>> Thou errant folly-fallen spleeny reeling-ripe ',
        '>>> unmuzzled ratsbane!',
        '>>>> Henceforth, the coding style is to be strictly ',
        '>>>> enforced, including the use of only upper case.',
        ">>>>> I've noticed a lack of adherence to the coding ",
        '>>>>> styles, of late.',
        '>>>>>> Any complaints?',
      ),
    ).toBe(
      [
        '> Thou villainous ill-breeding spongy dizzy-eyed reeky elf-skinned pigeon-egg! ',
        '>> Thou artless swag-bellied milk-livered dismal-dreaming idle-headed scut!',
        '>>> Thou errant folly-fallen spleeny reeling-ripe unmuzzled ratsbane!',
        '>>>> Henceforth, the coding style is to be strictly enforced, including the use of only upper case.',
        ">>>>> I've noticed a lack of adherence to the coding styles, of late.",
        '>>>>>> Any complaints?',
      ].join('\n'),
    );
  });

  it('has no blanks that were put before its lines', async () => {
    expect(await textOf('format=flowed', ' From here ', ' > is no quote', '   indented', '> ', '>', ' ', '-')).toBe(
      'From here > is no quote\n  indented\n>\n>\n\n-',
    );
  });

  it('has no blanks at the ends of joined lines, where they are no part of it', async () => {
    expect(await textOf('format=flowed; delsp=yes', '> ab ', '> cd  ', '> ef', 'gh ', '', 'i')).toBe(
      '> abcd ef\ngh\n\ni',
    );
  });

  it('keeps the line over a signature by itself', async () => {
    expect(await textOf('format=flowed', 'Bye ', '-- ', 'Ada ', 'Lovelace')).toBe('Bye \n-- \nAda Lovelace');
    expect(await textOf('format=flowed; delsp=yes', '> Bye ', '> -- ', '> Ada')).toBe('> Bye\n> -- \n> Ada');
  });
});
