import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import Add from '../../../commands/contacts/add.ts';
import Books from '../../../commands/contacts/books.ts';
import CreateBook from '../../../commands/contacts/book/create.ts';
import EditBook from '../../../commands/contacts/book/edit.ts';
import RemoveBook from '../../../commands/contacts/book/remove.ts';
import Complete from '../../../commands/contacts/complete.ts';
import Edit from '../../../commands/contacts/edit.ts';
import Export from '../../../commands/contacts/export.ts';
import Import from '../../../commands/contacts/import.ts';
import List from '../../../commands/contacts/list.ts';
import Remove from '../../../commands/contacts/remove.ts';
import Show from '../../../commands/contacts/show.ts';
import Login from '../../../commands/login.ts';
import { fewWays, openHome, rootPassword, type Home } from '../home.ts';

async function signedIn(way: (typeof fewWays)[number]) {
  const home = await openHome(way);
  await home.run(Login, ['root'], { env: { CONCLAVE_PASSWORD: rootPassword } });
  const run = async (...[command, argv = [], options = {}]: Parameters<Home['run']>) => {
    const { code, stdout, stderr } = await home.run(command, argv, options);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return stdout;
  };
  return { home, run, [Symbol.asyncDispose]: async () => await home[Symbol.asyncDispose]() };
}

describe.each(fewWays)('contacts as commands, by %s', (way) => {
  it('are added, found, shown, changed, and removed', async () => {
    await using scene = await signedIn(way);
    const { home, run } = scene;
    const empty = await home.run(List);
    expect(empty).toMatchObject({ code: 0, stdout: '' });
    expect(empty.stderr).toContain('conclave contacts add NAME');
    const email = ['--email', 'work:ada@example.org', '--email', 'al@engines.example'];
    expect(await run(Add, ['Ada Lovelace', ...email, '--phone', 'cell:+44 20'])).toMatch(
      /^Added Ada Lovelace to Contacts: [0-9a-f]{32}\n$/,
    );
    const vcard = 'BEGIN:VCARD\nVERSION:4.0\nFN:Ada\u001b[31m Byron\nX-KEPT:yes\nEND:VCARD\n';
    await run(Add, ['--file', '-'], { stdin: vcard });
    expect(await run(List, ['LOVE'])).toMatch(/^Ada Lovelace\tada@example\.org\t\+44 20\t\t[0-9a-f]{12}\n$/);
    const both = await home.run(Show, ['ada']);
    expect([both.code, both.stderr]).toEqual([7, expect.stringContaining('Ada Lovelace ada@example.org')]);
    const shown = await run(Show, ['al@engines.example']);
    expect(shown).toContain('e-mail\tada@example.org (work)\n');
    expect(shown).toContain('telephone\t+44 20 (cell)\n');
    expect(await run(Edit, ['ada love', '--title', 'Countess', '--clear', 'phone', '--email', 'ada@new.example'])).toBe(
      'Changed Ada Lovelace.\n',
    );
    const { card } = JSON.parse(await run(Show, ['Ada Lovelace', '--json']));
    expect(card).toMatchObject({ title: 'Countess', phones: [], emails: [{ value: 'ada@new.example' }] });
    const kept = await run(Show, ['byron', '--vcard']);
    expect(kept).toContain('X-KEPT:yes\n');
    expect(kept).not.toContain('\u001b');
    expect(await run(Remove, [card.id.slice(0, 20), '--yes'])).toBe('Deleted Ada Lovelace.\n');
    const gone = await home.run(Show, ['Ada Lovelace']);
    expect([gone.code, gone.stderr]).toEqual([6, expect.stringContaining('conclave contacts list')]);
  });

  it('have books, files, and completions', async () => {
    await using scene = await signedIn(way);
    const { home, run } = scene;
    expect(await run(CreateBook, ['Work', '--default'])).toMatch(/^Created the address book Work: /);
    expect(await run(Books)).toMatch(/^Contacts\t0\t\t\w+\nWork\t0\tyes\t\w+\nMembers\t0\t\tmembers\n$/);
    expect(await run(EditBook, ['work', '--name', 'Office'])).toBe('Changed the address book Office.\n');
    const one = 'BEGIN:VCARD\r\nVERSION:3.0\r\nUID:one\r\nFN:Bob\r\nEMAIL:bob@example.org\r\nEND:VCARD\r\n';
    const file = await home.file('contacts.vcf', one);
    expect(await run(Import, [file])).toBe('1 contact imported.\n');
    const odd = await home.file('odd.vcf', `${one}BEGIN:VCARD\r\n`);
    const again = await home.run(Import, [odd]);
    expect(again).toMatchObject({
      code: 2,
      stdout: '0 contacts imported, 1 there before, 1 failed.\nline 7: The vCard has no end.\n',
    });
    expect(await run(Export)).toBe(one);
    const out = join(home.folder, 'out.vcf');
    expect(await run(Export, ['--book', 'office', '--out', out])).toBe(`Wrote ${out}.\n`);
    expect(await readFile(out, 'utf8')).toBe(one);
    expect(JSON.parse(await run(Export, ['--json']))).toMatchObject({ vcf: one });
    expect(await run(Complete, ['bo'])).toBe('bob@example.org\n');
    expect(await run(Complete, ['Bo'])).toBe('Bob <bob@example.org>\n');
    expect(await run(Complete, ['--members', 'bo'])).toBe('');
    expect((await home.run(RemoveBook, ['Office', '--yes'])).code).toBe(7);
    await run(EditBook, ['Contacts', '--default']);
    expect(await run(RemoveBook, ['Office', '--yes'])).toBe('Deleted Office.\n');
    expect((await home.run(List, ['--book', 'Office'])).code).toBe(6);
  });
});
