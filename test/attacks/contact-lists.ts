import type { Scene } from '../services/passvault/scene.ts';
import type { Request } from './file-lists.ts';
import type { Repeatable } from './repeatable-files.ts';

const root = '/api/contacts/books';

/** The default book of the owner of each scene. */
const made = new WeakMap<Scene, string>();

async function bookOf(scene: Scene): Promise<string> {
  const { body } = await scene.house.api('GET', root, { token: scene.owner.token });
  return (body.books as { id: string; isDefault: boolean }[]).find(({ isDefault }) => isDefault)?.id ?? '';
}

/** The lists of contacts. Of books there is no page. */
export const contactLists: Readonly<Record<string, (scene: Scene) => readonly Request[]>> = {
  'contacts.list': (scene) => {
    const path = `${root}/${made.get(scene) ?? ''}/cards`;
    return [{ path }, { path: `${path}?q=twin` }];
  },
};

/** So that each of them has a second page. */
export async function fillContacts(scene: Scene): Promise<void> {
  const bookId = await bookOf(scene);
  made.set(scene, bookId);
  for (const displayName of ['Twin one', 'Twin two', 'Somebody', 'Somebody else'])
    await scene.house.api('POST', `${root}/${bookId}/cards`, { token: scene.owner.token, body: { displayName } });
}

const counted =
  (table: 'contact_books' | 'contact_cards', { house }: Scene) =>
  async (): Promise<number> =>
    (await house.ctx.db.selectFrom(table).select('id').execute()).length;

/** The operations of contacts that take a key. */
export const repeatableContacts: Readonly<Record<string, (scene: Scene) => Promise<Repeatable>>> = {
  'contacts.create-book': async (scene) => ({
    path: root,
    body: { displayName: 'Once' },
    count: counted('contact_books', scene),
    // With the default one.
    effects: 2,
  }),
  'contacts.create': async (scene) => ({
    path: `${root}/${await bookOf(scene)}/cards`,
    body: { displayName: 'Once' },
    count: counted('contact_cards', scene),
    effects: 1,
  }),
  'contacts.import': async (scene) => ({
    path: `${root}/${await bookOf(scene)}/import`,
    rawBody: 'BEGIN:VCARD\nVERSION:3.0\nFN:Once\nEND:VCARD\n',
    contentType: 'text/vcard',
    count: counted('contact_cards', scene),
    effects: 1,
  }),
};
