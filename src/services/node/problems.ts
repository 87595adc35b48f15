import type { Check } from '../../platform/store/verify.ts';
import { checkBlockFolder, checkErasureKeys } from './checks.ts';
import { listedMailDomain } from '../../shared/members/mail-domain.ts';
import { stat, statfs } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Context } from '../../service/context.ts';
import { countEvidence } from '../../platform/ledger/witness/evidence.ts';
import { noticesOf } from '../../platform/ledger/witness/notices.ts';
import { stopKinds, stopsOf } from '../../platform/ledger/witness/stop.ts';
import { latestVersion, schemaVersion } from '../../platform/store/migrations.ts';

/** With less free space than this, the next upload or backup may not fit. */
const scarceBytes = 2 ** 30;

/** The program was written after this time. A clock that shows an earlier time has not been set. */
const earliestNow = Date.UTC(2025, 0, 1);

/** Clocks of machines differ. A larger difference means that one of them was wrong. */
const clockToleranceMs = 5 * 60 * 1000;

/** Problems for the administrator, each a whole sentence. Empty if everything is fine. */
export async function findProblems(ctx: Context): Promise<string[]> {
  const found = [
    !ctx.config.limits.enabled &&
      'Rate limits are off, so anybody can try passwords without limit. Set rate_limits to on.',
    await schemaProblem(ctx),
    faultOf(await checkBlockFolder(ctx)),
    faultOf(await checkErasureKeys(ctx)),
    await diskProblem(ctx.config.dataDir),
    await exposed(ctx.config.dataDir, 'The data directory', '700'),
    await exposed(ctx.config.nodeSecretFile, 'The file of the node secret', '600'),
    await clockProblem(ctx),
    await administratorProblem(ctx),
    plainHttpProblem(ctx),
    await mailDomainProblem(ctx),
    ...reloadProblems(ctx),
    ...(await ledgerProblems(ctx)),
  ];
  return found.filter((problem) => typeof problem === 'string');
}

function faultOf({ ok, detail }: Check): string | undefined {
  return ok ? undefined : `${detail}.`;
}

async function ledgerProblems(ctx: Context): Promise<string[]> {
  const { total } = await countEvidence(ctx);
  return [
    ...(await stopsOf(ctx)).map(({ kind }) => `${stopKinds[kind]} This node signs nothing. Run: conclave node recover`),
    ...(await noticesOf(ctx))
      .filter(({ kind }) => kind !== 'recovered')
      .map(({ nodeId, what }) => `The node ${nodeId} ${what}. Tell its operator.`),
    ...(total > 0 ? [`Ledgers of other nodes contradict themselves (${total}). Run: conclave ledger evidence`] : []),
  ];
}

async function schemaProblem({ store }: Context): Promise<string | undefined> {
  const version = await schemaVersion(store);
  if (version === latestVersion()) return undefined;
  return `The store has version ${version}, and this program needs version ${latestVersion()}. Run: conclave admin store migrate`;
}

async function diskProblem(dataDir: string): Promise<string | undefined> {
  const disk = await statfs(dataDir).catch(() => undefined);
  if (!disk || disk.blocks === 0) return undefined;
  const free = disk.bavail * disk.bsize;
  if (free >= scarceBytes) return undefined;
  return `The disk of the data directory is nearly full: ${Math.floor(free / 2 ** 20)} MiB are free.`;
}

/** File modes on Windows say nothing about access. */
async function exposed(path: string, what: string, mode: string): Promise<string | undefined> {
  const status = process.platform === 'win32' ? undefined : await stat(path).catch(() => undefined);
  if (!status || (status.mode & 0o077) === 0) return undefined;
  return `${what} can be opened by other users of this machine. Run: chmod ${mode} ${path}`;
}

async function clockProblem({ clock, db }: Context): Promise<string | undefined> {
  const now = clock.now();
  if (now < earliestNow) return `The clock of this machine is wrong: it says ${new Date(now).toISOString()}.`;
  const { newest } = await db
    .selectFrom('members')
    .select(({ fn }) => fn.max('created_at').as('newest'))
    .executeTakeFirstOrThrow();
  if (newest === null || newest <= now + clockToleranceMs) return undefined;
  return `The clock of this machine is or was wrong: it says ${new Date(now).toISOString()}, and a member was registered on ${new Date(newest).toISOString()}.`;
}

async function administratorProblem({ db }: Context): Promise<string | undefined> {
  const one = await db
    .selectFrom('members')
    .select('id')
    .where('type', '=', 'Admin')
    .where('status', '=', 'active')
    .limit(1)
    .executeTakeFirst();
  return one ? undefined : 'There is no active administrator. Create one with: conclave init';
}

/** Other nodes send mail only where the access list of the pool says so. */
export async function mailDomainProblem(ctx: Context): Promise<string | undefined> {
  const domain = listedMailDomain(ctx);
  if (domain === undefined) return undefined;
  const writers = await ctx.db
    .selectFrom('pool_writers')
    .select(['node_id', 'mail_domain'])
    .where('removed_version', 'is', null)
    .execute();
  const own = writers.filter((writer) => writer.node_id === ctx.keys.nodeId);
  const isAlone = own.length === writers.length;
  if (own.length === 0 || isAlone || own.some((writer) => writer.mail_domain === domain)) return undefined;
  return `The access list of the pool does not name the mail domain ${domain} for this node, so other nodes cannot send mail to it. Run: conclave admin nodes update ${ctx.keys.nodeId.slice(0, 6)} --mail-domain ${domain}`;
}

function reloadProblems({ instance }: Context): string[] {
  const { refused, waiting = [] } = instance.reload ?? {};
  return [
    ...(refused === undefined
      ? []
      : [`The configuration could not be read again, so the server goes on with the earlier one: ${refused}`]),
    ...(waiting.length === 0 ? [] : [`Restart the server: changed options wait for it (${waiting.join(', ')}).`]),
  ];
}

function plainHttpProblem({ instance, config }: Context): string | undefined {
  // Trusted proxies are configured only if there is a proxy in front.
  const open = config.trustedProxies.length === 0 && instance.addresses.some((address) => isPlain(new URL(address)));
  return open
    ? 'Other machines can reach this server without encryption. Use HTTPS (tls), or a proxy with HTTPS (trusted_proxies).'
    : undefined;
}

function isPlain({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const loopback = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  return protocol === 'http:' && !loopback;
}
