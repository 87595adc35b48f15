import type { Context } from '../../../service/context.ts';
import { hubLimits } from '../../../contract/social/hubs/limits.ts';
import { toHex } from '../../../crypto/bytes.ts';
import { Problem } from '../../../base/problem.ts';

/** Room for a number behind a slug that another hub has. */
const LONGEST = hubLimits.slug - 8;
const TRIES = 50;

/** @returns a slug from a name; empty if the name has no letters that a slug could have */
function fromName(name: string): string {
  const letters = name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  return letters.slice(0, LONGEST).replaceAll(/^-+|-+$/g, '');
}

/** The addresses of a hub that are its own, and those that could be an id. */
function isReserved(slug: string): boolean {
  return slug.length < 2 || slug === 'explore' || /^[0-9a-f]{32}$/.test(slug);
}

/** A free slug. @param wanted the one that was asked for. @throws Problem invalid HUB_SLUG_TAKEN */
export async function slugFor(tx: Context, name: string, wanted: string | undefined): Promise<string> {
  if (wanted !== undefined) {
    if (await isTaken(tx, wanted)) throw slugTaken();
    return wanted;
  }
  const made = fromName(name);
  const base = isReserved(made) ? `hub-${made === '' ? toHex(tx.random(4)) : made.slice(0, LONGEST - 4)}` : made;
  if (!(await isTaken(tx, base))) return base;
  for (let number = 2; number < TRIES; number += 1)
    if (!(await isTaken(tx, `${base}-${number}`))) return `${base}-${number}`;
  return `${base.slice(0, LONGEST - 8)}-${toHex(tx.random(8))}`;
}

export function slugTaken(): Problem {
  return new Problem('invalid', 'HUB_SLUG_TAKEN', 'Another hub has this slug. Choose another one.');
}

async function isTaken({ db }: Context, slug: string): Promise<boolean> {
  return (await db.selectFrom('social_hubs').select('id').where('slug', '=', slug).executeTakeFirst()) !== undefined;
}
