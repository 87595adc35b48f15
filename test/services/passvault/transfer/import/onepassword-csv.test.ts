import { describe, expect, it } from 'vitest';
import { entriesOf, expectProblem, importText } from './expect-import.ts';
import { csvOf } from './samples.ts';

describe('CSV of 1Password', () => {
  it('reads 1Password 8: flags, tags at semicolons or commas, one-time passwords', async () => {
    const otp = 'otpauth://totp/a:b?secret=JBSWY3DPEHPK3PXP&issuer=a';
    const text = csvOf([
      ['Title', 'Website', 'Username', 'Password', 'OTPAuth', 'Favorite', 'Archived', 'Tags', 'Notes'],
      ['A', 'https://a.example', 'u', 'p', otp, 'true', 'false', 'x, y;z', 'n'],
      ['B', '', 'u', 'p', '', '0', '1', 'x,y', ''],
    ]);
    const { format, records } = await importText('auto', text);
    expect(format).toBe('managerA_csv');
    expect(records[0]?.entry).toMatchObject({
      siteUrl: 'https://a.example',
      totpSecret: otp,
      favorite: true,
      archived: false,
      tags: ['x, y', 'z'],
      notes: 'n',
    });
    expect(records[1]?.entry).toMatchObject({ favorite: false, archived: true, tags: ['x', 'y'] });
  });

  it('reads the short form with its types', async () => {
    const text =
      'Title,URL,Username,Password,Notes,Type\nA,https://a.example,u,p,n,Login\nN,,,,text,Secure Note\nR,,,p,,Wireless Router\n';
    const { format, records } = await importText('auto', text);
    expect(format).toBe('managerA_csv');
    expect(records.map(({ entry }) => entry.type)).toEqual(['login', 'secure_note', 'login']);
    expect(records[2]?.entry).toMatchObject({
      password: 'p',
      customFields: [{ name: 'type', value: 'Wireless Router', hidden: false }],
    });
  });

  it('reads 1Password 7 for Windows: sections, several addresses and one-time passwords, cards', async () => {
    const text = csvOf([
      [
        'UUID',
        'TITLE',
        'USERNAME',
        'PASSWORD',
        'URL',
        'URLS',
        'SCOPE',
        'AUTOSUBMIT',
        'TAGS',
        'NOTES',
        'SECTION 1: abc',
        'abc 1: ONE-TIME PASSWORD',
        'abc 2: ONE-TIME PASSWORD',
        'abc 3: PET',
        'SECTION 2: card',
        'card 1: CARDHOLDER NAME',
        'card 1: NUMBER',
        'card 1: VERIFICATION NUMBER',
        'card 1: EXPIRY DATE',
      ],
      [
        '1',
        'A',
        'u',
        'p',
        'https://a.example',
        'https://a.example\nhttps://b.example',
        'Default',
        'Default',
        '',
        'n',
        'Security',
        'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP',
        'otpauth://totp/b?secret=GEZDGNBVGY3TQOJQ',
        'Rex',
      ],
      [
        '2',
        'Card',
        '',
        '',
        '',
        '',
        '',
        '',
        '',
        '',
        '',
        '',
        '',
        '',
        'Card',
        'A. Person',
        '4111 1111 1111 1111',
        '012',
        '01/2030',
      ],
    ]);
    const { format, records } = await importText('auto', text);
    expect(format).toBe('managerA_csv');
    expect(records[0]?.entry).toMatchObject({
      type: 'login',
      totpSecret: 'otpauth://totp/a?secret=JBSWY3DPEHPK3PXP',
      urls: [{ uri: 'https://b.example', match: 'domain' }],
      customFields: [
        { name: 'PET', value: 'Rex', hidden: false },
        { name: 'one-time password', value: 'otpauth://totp/b?secret=GEZDGNBVGY3TQOJQ', hidden: true },
      ],
    });
    expect(records[1]?.entry).toMatchObject({
      type: 'credit_card',
      cardholderName: 'A. Person',
      cardNumber: '4111 1111 1111 1111',
      cvv: '012',
      expirationDate: '01/2030',
    });
  });

  const mac =
    'ccv(x),cardholder name(cardholder),created date,expiry date(expiry),notes,number(ccnum),password,Tags,title,Type,url,username,verification number(cvv)';

  it('reads 1Password 7 for Mac with its own way of quoting', async () => {
    const rows = [
      String.raw`"","","1600000000","","say \"hi\", twice","","pa\"ss","{(
    \"Starter Kit\",
    \"Other\"
)}","A \"B\"","Login","https://a.example","u",""`,
      String.raw`"","A. Person","","01/2030","","4111111111111111","","","Card","Credit Card","","","012"`,
    ];
    const { format, records } = await importText('auto', `${mac}\n${rows.join('\n')}\n`);
    expect(format).toBe('managerA_csv');
    expect(records[0]).toMatchObject({
      createdAt: '2020-09-13T12:26:40.000Z',
      entry: {
        title: 'A "B"',
        password: 'pa"ss',
        notes: 'say "hi", twice',
        tags: ['Starter Kit', 'Other'],
        type: 'login',
      },
    });
    expect(records[1]?.entry).toMatchObject({
      type: 'credit_card',
      cardNumber: '4111111111111111',
      expirationDate: '01/2030',
      cvv: '012',
    });
  });

  it.each([
    ['escaped', String.raw`a\\b\"c`, String.raw`a\b"c`],
    ['not escaped', String.raw`a\b\"c`, String.raw`a\b"c`],
  ])('loses no backslash of a password where they are %s', async (_, written, meant) => {
    const row = `"","","","","","","${written}","","A","Login","https://a.example","u",""`;
    const { records } = await importText('managerA_csv', `${mac}\n${row}\n`);
    expect(records[0]?.entry.password).toBe(meant);
  });

  it('reads 1Password 4, and refuses its files without a header, which nobody can know the order of', async () => {
    const [entry] = await entriesOf('auto', 'title,notes,username,password,url\nA,n,u,p,https://a.example\n');
    expect(entry).toMatchObject({ title: 'A', username: 'u', password: 'p', notes: 'n', siteUrl: 'https://a.example' });
    const problem = await expectProblem(
      importText('managerA_csv', 'A,n,u,topsecret,https://a.example\n'),
      'IMPORT_UNREADABLE',
    );
    expect(problem.message).not.toContain('topsecret');
  });

  it('makes cards of columns whose section has no name', async () => {
    const text = csvOf([
      [
        'UUID',
        'TITLE',
        'USERNAME',
        'PASSWORD',
        'SECTION 2: ',
        '1: CARDHOLDER NAME',
        '2: NUMBER',
        '3: VERIFICATION NUMBER',
        '4: EXPIRY DATE',
      ],
      ['1', 'Card', '', '', '', 'A. Person', '4111 1111 1111 1111', '012', '01/2030'],
      ['2', 'Short', '', '', '', '', '4111111111111111', '', ''],
      ['3', 'Gym', '', '', '', '', '12345678', '', ''],
      ['4', 'Bank', 'u', 'p', '', '', '4111111111111111', '', ''],
    ]);
    const { format, records } = await importText('auto', text);
    expect(format).toBe('managerA_csv');
    expect(records.map(({ entry }) => entry)).toMatchObject([
      {
        type: 'credit_card',
        cardholderName: 'A. Person',
        cardNumber: '4111 1111 1111 1111',
        cvv: '012',
        expirationDate: '01/2030',
      },
      { type: 'credit_card', cardNumber: '4111111111111111' },
      { type: 'secure_note', customFields: [{ name: 'number', value: '12345678', hidden: true }] },
      { type: 'login', username: 'u', password: 'p', customFields: [{ name: 'number', value: '4111111111111111' }] },
    ]);
  });

  it.each(['Kreditkarte', '', 'Credit Card'])(
    'makes cards of the columns of the Mac under the type %j',
    async (type) => {
      const row = `"","A. Person","","01/2030","","4111111111111111","","","Card","${type}","","","012"`;
      const { records } = await importText('auto', `${mac}\n${row}\n`);
      expect(records[0]?.entry).toMatchObject({ type: 'credit_card', cardNumber: '4111111111111111', cvv: '012' });
    },
  );

  it.each(['Anmeldung', 'Server', 'Database', 'API Credential', 'Etwas Neues'])(
    'takes what has a user name or a password for a login, whatever %s means',
    async (type) => {
      const text = `Title,URL,Username,Password,Notes,Type\nA,https://a.example,u,p,n,${type}\nB,,u,,n,${type}\nC,,,p,n,${type}\nD,,,,n,${type}\n`;
      const { records } = await importText('auto', text);
      expect(records.map(({ entry }) => entry.type)).toEqual(['login', 'login', 'login', 'secure_note']);
      expect(records[0]?.entry.customFields).toEqual([{ name: 'type', value: type, hidden: false }]);
    },
  );

  it('leaves kinds alone that are known and no logins', async () => {
    const text = 'Title,URL,Username,Password,Notes,Type\nA,,u,p,n,Identity\nB,,u,p,n,Secure Note\n';
    const { records } = await importText('auto', text);
    expect(records.map(({ entry }) => entry.type)).toEqual(['secure_note', 'secure_note']);
  });
});
