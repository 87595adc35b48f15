import { describe, expect, it } from 'vitest';
import { engines } from '../../support/stores.ts';
import { openMail, type Correspondent, type MailScene } from './scene.ts';

const id = 'plan@home.example';
const path = `/${encodeURIComponent(id)}`;

/** Sends a message that a program wrote, which chose its Message-ID. */
async function submit({ house }: MailScene, from: Correspondent, to: Correspondent, subject: string, more = '') {
  const head = `From: ${from.address}\r\nTo: ${to.address}\r\nMessage-ID: <${id}>\r\nSubject: ${subject}\r\n${more}`;
  const answer = await house.api('POST', '/api/emails/raw', {
    token: from.token,
    rawBody: `${head}\r\nText of ${subject}\r\n`,
    headers: { 'content-type': 'message/rfc822' },
  });
  expect(answer.status).toBe(201);
}

async function subjectsOf(scene: MailScene, who: Correspondent, query: string): Promise<string[]> {
  const { data } = (await scene.ask(who, 'GET', query, undefined, 200)).body;
  const messages = (data.messages ?? data.emails) as { readonly subject: string }[];
  return messages.map(({ subject }) => subject).toSorted();
}

describe.each(engines)('a message with the Message-ID of somebody else’s, on %s', (engine) => {
  it('takes its place nowhere: it is found by its own id, in a thread of its own', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, mallory] = [await scene.join('ada'), await scene.join('bob'), await scene.join('mallory')];
    await submit(scene, ada, bob, 'Plan');
    scene.house.clock.advance(60_000);
    await submit(scene, mallory, bob, 'Other plan');
    const read = async (one: string) =>
      (await scene.ask(bob, 'GET', `${one}/content`, undefined, 200)).body.data.textBody.trim();
    expect(await read(path)).toBe('Text of Plan');
    expect(await subjectsOf(scene, bob, `${path}/thread`)).toEqual(['Plan']);
    const { emails } = (await scene.ask(bob, 'GET', '/inbox', undefined, 200)).body.data;
    const other = emails.find(({ subject }: { subject: string }) => subject === 'Other plan');
    expect(await read(`/${other.id}`)).toBe('Text of Other plan');
    expect(await subjectsOf(scene, bob, `/${other.id}/thread`)).toEqual(['Other plan']);
    // An answer goes to whom the first one came from.
    const answer = await scene.ask(bob, 'POST', `${path}/reply`, { from: bob.mailbox, textBody: 'Yes' }, 201);
    expect(answer.body.data.to).toMatchObject([{ address: ada.address }]);
    // Deleted is the one that the id names, and no other.
    await scene.ask(bob, 'DELETE', path, undefined, 200);
    expect(await subjectsOf(scene, bob, '/inbox')).toEqual(['Other plan']);
    expect(await read(path)).toBe('Text of Other plan');
  });

  it('does not take the place of one that the member sent', async () => {
    await using scene = await openMail(engine);
    const [ada, bob] = [await scene.join('ada'), await scene.join('bob')];
    await submit(scene, ada, bob, 'Plan');
    scene.house.clock.advance(60_000);
    await submit(scene, bob, ada, 'Other plan');
    const { data } = (await scene.ask(ada, 'GET', path, undefined, 200)).body;
    expect([data.subject, data.folder]).toEqual(['Plan', 'sent']);
    expect(await subjectsOf(scene, ada, `${path}/thread`)).toEqual(['Plan']);
    const status = await scene.ask(ada, 'GET', `${path}/delivery-status`, undefined, 200);
    expect(status.body.data).toMatchObject({ [bob.address]: 'DELIVERED' });
  });

  it('is shown in the thread of what it answers', async () => {
    await using scene = await openMail(engine);
    const [ada, bob, eve] = [await scene.join('ada'), await scene.join('bob'), await scene.join('eve')];
    await submit(scene, ada, bob, 'Plan');
    scene.house.clock.advance(60_000);
    await submit(scene, eve, bob, 'Re: Plan', `References: <${id}>\r\n`);
    expect(await subjectsOf(scene, bob, `${path}/thread`)).toEqual(['Plan', 'Re: Plan']);
  });

  it('is one of two copies where members write to themselves, which go one after another', async () => {
    await using scene = await openMail(engine);
    const ada = await scene.join('ada');
    await submit(scene, ada, ada, 'Note');
    const folders: string[] = [];
    for (let copy = 0; copy < 2; copy += 1) {
      folders.push((await scene.ask(ada, 'GET', path, undefined, 200)).body.data.folder);
      expect(await subjectsOf(scene, ada, `${path}/thread`)).toEqual(['Note']);
      await scene.ask(ada, 'DELETE', path, undefined, 200);
    }
    expect(folders).toEqual(['inbox', 'sent']);
    const gone = await scene.ask(ada, 'GET', path);
    expect([gone.status, gone.body.error.code]).toEqual([404, 'EMAIL_NOT_FOUND']);
  });
});
