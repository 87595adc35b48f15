import type { HouseMember } from '../../support/prepared-member.ts';

type Fetch = (request: Request) => Promise<Response>;
// oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
type Json = any;

/** Every operation of contacts once, with success. Over any fetch-shaped transport. @returns the contact that is left */
export async function runContactsScenario(fetch: Fetch, base: string, { token }: HouseMember): Promise<string> {
  const call = async (method: string, path: string, body?: object | string): Promise<Json> => {
    const type = typeof body === 'string' ? 'text/vcard' : 'application/json';
    const response = await fetch(
      new Request(`${base}/api/contacts${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
        body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return path.endsWith('/export') ? await response.text() : await response.json();
  };

  await call('GET', '/books');
  const { book } = await call('POST', '/books', { displayName: 'Friends' });
  const one = `/books/${book.id}`;
  await call('PATCH', one, { description: 'From school' });
  await call('GET', one);
  const { card } = await call('POST', `${one}/cards`, { displayName: 'Ada', emails: [{ value: 'ada@example.org' }] });
  await call('GET', `${one}/cards?q=ada`);
  await call('GET', `${one}/cards/${card.id}`);
  await call('PATCH', `${one}/cards/${card.id}`, { note: 'Engines' });
  await call('PUT', `${one}/cards/${card.id}`, { displayName: 'Ada Lovelace' });
  const file = (await call('GET', `${one}/export`)) as string;
  const { book: other } = await call('POST', '/books', { displayName: 'Copies' });
  await call('POST', `/books/${other.id}/import`, file);
  await call('GET', '/complete?q=ada');
  await call('DELETE', `${one}/cards/${card.id}`);
  await call('DELETE', one);
  const { cards } = await call('GET', `/books/${other.id}/cards`);
  return cards[0].id as string;
}
