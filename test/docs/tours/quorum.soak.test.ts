import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { toHex } from '../../../src/crypto/bytes.ts';
import { generateMnemonic } from '../../../src/crypto/mnemonic.ts';
import { openDatabase } from '../../../src/platform/store/open.ts';
import type { Db } from '../../../src/platform/store/database.ts';
import { identityOf } from '../../support/member-key.ts';
import { hasTmux } from './terminal.ts';
import { openTour, passwordOf, type Tour, type Traveller } from './tour.ts';

const id = /[0-9a-f]{32}/;

interface Member extends Traveller {
  readonly phrase: string;
}

/** Writes down the phrase, and answers which words it has in three places. */
async function addAda(tour: Tour): Promise<void> {
  const { terminal } = tour.reader;
  const line = 'conclave quorum members add Ada --email ada@example.org --account ada';
  await tour.begin(line, 'Enter goes back');
  const { text } = await terminal.shows('Enter goes back');
  const words = [...text.matchAll(/^ {2}([a-z ]+)$/gm)].flatMap(([, row = '']) => row.split(' '));
  expect(words).toHaveLength(24);
  await terminal.press('Enter');
  for (let answered = 0; answered < 3; answered += 1) {
    const question = new RegExp(`^(?:✔ Word .*\\n){${answered}}\\? Word (\\d+) `, 'm');
    const asked = question.exec((await terminal.shows(question)).text);
    await terminal.press(words[Number(asked?.[1]) - 1] ?? '', 'Enter');
  }
  await tour.ends(tour.reader, {
    random: [[/^✔ Word .*\n✔ Word .*\n✔ Word .*$/m, [3, 8, 16].map((at) => `✔ Word ${at} (what it is)`).join('\n')]],
  });
}

async function addMember(tour: Tour, name: string): Promise<Member> {
  const person = await tour.invite(name);
  const phrase = generateMnemonic(24, (count) => randomBytes(count));
  const key = toHex((await identityOf(phrase)).publicKey);
  const called = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  await tour.meanwhile(
    tour.reader,
    `conclave quorum members add ${called} --public-key ${key} --account ${name} --email ${name}@example.org`,
  );
  return { ...person, phrase };
}

/** Writes into the store past the node, which isn't running. */
async function write(tour: Tour, statements: (db: Db) => Promise<unknown>): Promise<void> {
  await tour.serveAgain({}, async () => {
    await using store = await openDatabase({ dataDir: join(tour.reader.home, '.local/share/conclave') });
    await store.transaction(statements);
  });
}

it.skipIf(!hasTmux)('the tour of a quorum', { tags: ['needs-program'], timeout: 600_000 }, async () => {
  await using tour = await openTour('docs/quorum.md');
  const { reader } = tour;
  await tour.startNode();
  await tour.meanwhile(reader, 'conclave login ada', [['Password', passwordOf('ada')]]);

  await addAda(tour);
  const [bob, cyd, dan] = [
    await addMember(tour, 'bob'),
    await addMember(tour, 'cyd'),
    await addMember(tour, 'dan'),
    await addMember(tour, 'eve'),
  ];
  const phraseOf = (member: Member) => [['Recovery phrase of the quorum', member.phrase]] as const;
  const contribute = async (member: Member): Promise<unknown> =>
    await tour.meanwhile(member, 'conclave quorum contribute', [['? Give your share?', 'y'], ...phraseOf(member)]);
  await tour.run('conclave quorum status');

  await write(tour, async (db) => {
    const link = await db
      .selectFrom('quorum_members')
      .select(['id as member_id', 'account_id'])
      .where('name', '=', 'Bob')
      .executeTakeFirstOrThrow();
    // What an earlier version left when it had linked an account by an address.
    await db
      .insertInto('quorum_unverified_links')
      .values({ ...link, account_id: link.account_id ?? '' })
      .execute();
  });
  await tour.run('conclave quorum status');
  await tour.meanwhile(bob, 'conclave quorum members link', phraseOf(bob));
  expect(await tour.meanwhile(reader, 'conclave quorum status')).not.toContain('Unverified');

  const safe = '{"safe":"left 12, right 7"}';
  await tour.meanwhile(reader, `echo '${safe}' > safe.json`);
  const sealed = await tour.run(
    'conclave quorum seal safe.json --member ada --member bob --member cyd --member dan --member eve --threshold 3',
  );
  const document = id.exec(sealed)?.[0].slice(0, 12) ?? '';
  await tour.begin(
    'conclave quorum unseal 01a207df9916 --reason "The bank asks" --out opened.json',
    'Holders contribute with',
    { for: { '01a207df9916': document } },
  );
  await tour.run('conclave quorum', {
    by: bob,
    answers: [['[q] leave', ['c']], ...phraseOf(bob)],
  });
  await reader.terminal.shows('Bob has contributed.');
  await contribute(dan);
  await reader.terminal.shows('Dan has contributed.');
  await contribute(cyd);
  await tour.ends();
  expect(JSON.parse(await readFile(join(reader.home, 'opened.json'), 'utf8'))).toEqual(JSON.parse(safe));

  await tour.begin(
    'conclave quorum reshare 01a207df9916 --member ada --member bob --member cyd --member dan --threshold 2 --rekey --reason "Eve has left"',
    'Holders contribute with',
    { for: { '01a207df9916': document } },
  );
  for (const [name, member] of [
    ['Bob', bob],
    ['Dan', dan],
    ['Cyd', cyd],
  ] as const) {
    await contribute(member);
    await reader.terminal.shows(`${name} has contributed.`);
  }
  await reader.terminal.shows('New holders confirm with');
  for (const member of [bob, dan]) {
    const answers = [['? Open your new share and confirm it?', 'y'], ...phraseOf(member)] as const;
    await tour.meanwhile(member, 'conclave quorum confirm', answers);
  }
  await tour.ends();

  const proposed = await tour.run(
    'conclave quorum propose REMOVE_MEMBER member=eve --description "Eve is moving away"',
    {
      answers: [['? Propose this?', 'y']],
    },
  );
  const proposal = id.exec(proposed.slice(proposed.indexOf('Proposed')))?.[0] ?? '';
  const short = proposal.slice(0, 12);
  await tour.begin('conclave quorum watch 01a207e334e7', 'pending', { for: { '01a207e334e7': short } });
  await tour.meanwhile(dan, `conclave quorum vote ${short} approve`, [['? Vote approve?', 'y']]);
  await reader.terminal.shows('Dan votes approve');
  await tour.meanwhile(bob, `conclave quorum vote ${short} approve`, [['? Vote approve?', 'y']]);
  await tour.ends();

  await tour.run('conclave quorum audit verify');
  await write(tour, async (db) => {
    const [vote] = await db.selectFrom('quorum_votes').selectAll().execute();
    if (vote === undefined) throw new Error('there is no vote');
    await db
      .insertInto('quorum_votes')
      .values({ ...vote, voter_id: 'c0ffee'.repeat(4) })
      .execute();
  });
  await tour.run('conclave quorum audit verify', { ends: 1 });
  await tour.finish();
});
