import { isCommonPassword } from '../../../shared/members/common-passwords.ts';
import type { Actor } from '../../../service/actor.ts';
import { transaction, type Context } from '../../../service/context.ts';
import type { HealthReport } from '../../../contract/passvault/tools.ts';
import { openVault, type OpenVault } from '../vaults/access.ts';
import { record } from '../vaults/audit.ts';
import { breachHash, breachCount } from './breach.ts';
import { openEntries } from '../entries/entry-rows.ts';
import { estimatedEntropy, strengthOf } from './strength.ts';
import { Problem } from '../../../base/problem.ts';

const DAY_MS = 86_400_000;
const OLD_DAYS = 365;
/** Passwords with less entropy are below `strong`. */
const ENOUGH_ENTROPY = 60;

/** A login without its secrets. */
interface Login {
  readonly entryId: string;
  readonly title: string;
  readonly entropy: number;
  readonly common: boolean;
  readonly days: number;
  /** SHA-1, to look the password up in breach lists and to find reused passwords */
  readonly hash: string;
}

export async function health(
  ctx: Context,
  actor: Actor,
  { vaultId, breaches }: { vaultId: string; breaches: 'check' | 'skip' },
): Promise<HealthReport> {
  const vault = await transaction(ctx, async (tx) => {
    const open = await openVault(tx, actor, vaultId);
    await record(tx, actor, vaultId, 'VAULT_CHECKED');
    return open;
  });
  const logins = await loginsOf(ctx, vault);
  const counts = breaches === 'skip' ? undefined : await breachCounts(ctx, new Set(logins.map((login) => login.hash)));
  return {
    vaultId,
    checked: logins.length,
    weak: logins
      .filter((login) => login.common || login.entropy < ENOUGH_ENTROPY)
      .map(({ entryId, title, entropy, common }) => ({
        entryId,
        title,
        entropy,
        strength: strengthOf(entropy),
        common,
      })),
    reused: groups(logins).map((group) => ({ entries: group.map(named) })),
    breachCheck: breaches === 'skip' ? 'skipped' : counts === undefined ? 'unavailable' : 'done',
    breached: logins
      .map(({ entryId, title, hash }) => ({ entryId, title, count: counts?.get(hash) ?? 0 }))
      .filter((login) => login.count > 0),
    old: logins.filter((login) => login.days >= OLD_DAYS).map(({ entryId, title, days }) => ({ entryId, title, days })),
  };
}

async function loginsOf(ctx: Context, vault: OpenVault): Promise<Login[]> {
  const now = ctx.clock.now();
  const logins: Login[] = [];
  for await (const batch of openEntries(ctx, vault)) {
    for (const { row, block } of batch) {
      const { type, password = '', title, archived, passwordChangedAt } = block;
      if (type !== 'login' || password === '' || archived) continue;
      const since = passwordChangedAt === undefined ? row.created_at : Date.parse(passwordChangedAt);
      logins.push({
        entryId: row.id,
        title,
        entropy: estimatedEntropy(password),
        common: await isCommonPassword(password),
        days: Math.max(0, Math.floor((now - since) / DAY_MS)),
        hash: breachHash(password),
      });
    }
  }
  return logins;
}

function named({ entryId, title }: Login) {
  return { entryId, title };
}

function groups(logins: readonly Login[]): Login[][] {
  const byHash = new Map<string, Login[]>();
  for (const login of logins) {
    const group = byHash.get(login.hash);
    if (group === undefined) byHash.set(login.hash, [login]);
    else group.push(login);
  }
  return [...byHash.values()].filter((group) => group.length > 1);
}

/** Requests at once. The service is free, so the number is small. */
const AT_ONCE = 8;
/** For all requests together, because the client waits for the report. */
const TIMEOUT_MS = 60_000;

/**
 * How often each of many passwords occurs in known breaches, by its hash.
 * @returns undefined if at least one of them could not be looked up
 */
async function breachCounts(
  ctx: Context,
  hashes: ReadonlySet<string>,
): Promise<ReadonlyMap<string, number> | undefined> {
  const counts = new Map<string, number>();
  const waiting = [...hashes];
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TIMEOUT_MS);
  const work = async () => {
    for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop()) {
      counts.set(hash, await breachCount(ctx, hash, stop.signal));
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return counts;
  } catch (error) {
    if (error instanceof Problem && error.code === 'BREACH_SERVICE_UNAVAILABLE') return undefined;
    throw error;
  } finally {
    waiting.length = 0;
    clearTimeout(timer);
    stop.abort();
  }
}
