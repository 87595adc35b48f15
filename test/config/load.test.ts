import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeConfig } from '../../src/config/describe.ts';
import { loadConfig, type LoadedConfig } from '../../src/config/load.ts';
import { databaseUrl } from '../../src/config/secrets.ts';
import { flagOf, options, variableOf } from '../../src/config/options.ts';
import { Problem } from '../../src/base/problem.ts';

const canary = 'canary-4f1d';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'conclave-config-'));
});
afterEach(async () => {
  await rm(home, { recursive: true, force: true });
});

interface Given {
  readonly flags?: Record<string, unknown>;
  readonly env?: Record<string, string>;
  /** of <data>/conclave.toml */
  readonly toml?: string;
}

async function load({ flags = {}, env = {}, toml }: Given): Promise<LoadedConfig> {
  if (toml !== undefined) {
    const folder = join(home, '.local', 'share', 'conclave');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'conclave.toml'), toml, { mode: 0o600 });
  }
  return await loadConfig({ flags, env, home, cwd: home });
}

async function refusal(given: Given): Promise<Problem> {
  const problem = await load(given).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(problem instanceof Problem)) throw new Error(`expected a Problem, got ${String(problem)}`);
  expect([problem.kind, problem.code]).toEqual(['invalid', 'CONFIG_INVALID']);
  return problem;
}

describe('loadConfig', () => {
  it('has a default for everything, on loopback and with rate limits', async () => {
    const { config, secrets, file } = await load({});
    expect(config).toMatchObject({
      dataDir: join(home, '.local', 'share', 'conclave'),
      nodeSecretFile: join(home, '.local', 'share', 'conclave', 'node.secret'),
      host: '127.0.0.1',
      database: undefined,
      tls: undefined,
      metrics: false,
      corsOrigins: [],
      passwords: { memoryKib: 33_792, passes: 2, lanes: 1, pbkdf2Iterations: 100_000 },
      sessions: { lifetimeMs: 7 * 86_400_000, refreshGraceMs: 30_000, challengeMs: 300_000 },
    });
    expect(config.limits).toMatchObject({
      enabled: true,
      jsonBody: 1_048_576,
      rates: {
        signIn: { perAccount: { points: 10, seconds: 900 }, perAddress: { points: 30, seconds: 900 } },
        registration: { perAccount: undefined, perAddress: { points: 10, seconds: 3600 } },
        vaultOpening: { perAccount: { points: 10, seconds: 900 } },
        quorumSealing: { perAccount: { points: 120, seconds: 300 } },
        quorumVerifying: { perAccount: { points: 60, seconds: 300 } },
        quorumUnsealing: { perAccount: { points: 60, seconds: 900 }, perAddress: { points: 600, seconds: 900 } },
        write: { perAccount: { points: 300, seconds: 300 } },
        read: { perAccount: { points: 3000, seconds: 300 } },
      },
    });
    expect([secrets.databasePassword, file]).toEqual([undefined, undefined]);
  });

  it('takes flags over environment over file over defaults, and says which', async () => {
    const toml = 'host = "127.0.0.2"\nport = 1111\n[log]\nlevel = "warn"\nformat = "text"\n';
    const loaded = await load({
      flags: { port: '3333' },
      env: { CONCLAVE_PORT: '2222', CONCLAVE_LOG_LEVEL: 'error' },
      toml,
    });
    expect(loaded.config).toMatchObject({ port: 3333, host: '127.0.0.2', log: { level: 'error', format: 'text' } });
    const sources = Object.fromEntries(describeConfig(loaded).map(({ name, source }) => [name, source]));
    expect(sources).toMatchObject({
      port: '--port',
      'log.level': 'CONCLAVE_LOG_LEVEL',
      'log.format': loaded.file,
      host: loaded.file,
      metrics: 'default',
    });
  });

  it('sets every option by its variable, its key and its flag, and shows what it was given', async () => {
    const chat = 'chat_attachment chat_mark chat_membership chat_message chat_presence chat_read';
    const social = 'social_media social_membership social_post social_reaction social_transfer';
    const own = `${chat} calendar_change calendar_import calendar_inviting calendar_sharing contacts_change contacts_import ${social}`;
    const relay = 'host=relay.example port=465 tls=implicit user=node password_file=/run/relay per_day=9';
    const open = 'calendar_booking calendar_link calendar_slots social_feed';
    const values: Record<string, string> = {
      data_dir: join(home, 'd'),
      node_secret_file: join(home, 's'),
      database: 'postgres://ann@db.example:5433/conclave',
      host: '127.0.0.9',
      port: '4444',
      tls: 'self-signed',
      tls_names: 'home.example,10.0.0.7',
      metrics: 'on',
      cors_origins: 'https://a.example,http://localhost:3000',
      trusted_proxies: '10.0.0.0/8,::1',
      'network.enabled': 'on',
      'network.listen': '/ip4/127.0.0.1/tcp/1,/ip6/::1/tcp/2/ws',
      'network.peers': '/dns/node.example/tcp/3',
      'network.announce': '/ip4/192.0.2.1/tcp/4',
      'outbox.retry_first': '2s',
      'outbox.retry_longest': '30m',
      rate_limits: 'off',
      'log.level': 'debug',
      'log.format': 'text',
      'limits.sign_in.per_account': '11/10m',
      'limits.sign_in.per_address': 'off',
      'limits.registration.per_address': '1/1s',
      'limits.bridge.per_account': '12/1h',
      'limits.bridge.per_address': '13/1h',
      'limits.vault_opening.per_account': '5/1h',
      'limits.vault_opening.per_address': '6/1h',
      'limits.quorum_sealing.per_account': '7/1h',
      'limits.quorum_verifying.per_account': '6/1h',
      'limits.mail_sending.per_account': '5/1h',
      'limits.mail_storing.per_account': '4/1h',
      'limits.quorum_unsealing.per_account': '8/1h',
      'limits.quorum_unsealing.per_address': '9/1h',
      'limits.write.per_account': '7/1m',
      'limits.write.per_address': '8/1m',
      'limits.read.per_account': '9/1m',
      'limits.read.per_address': '10/1m',
      'limits.json_body': '2MiB',
      'sessions.lifetime': '2d',
      'sessions.refresh_grace': '0ms',
      'sessions.challenge': '90s',
      'passwords.memory_kib': '65536',
      'passwords.passes': '3',
      'passwords.lanes': '4',
      'passwords.pbkdf2_iterations': '600000',
      smtp: 'on',
      smtp_host: '::1',
      smtp_port: '2525',
      smtp_tls: 'implicit',
      'files.erasure_keys_file': join(home, 'elsewhere', 'erasure.keys'),
      'files.trash_days': '7',
      'files.versions_kept': '20',
      'files.versions_days': '365',
      'files.scan_command': '/usr/bin/scanner,--stdin',
      'files.scan_url': 'https://scanner.example/scan',
      'files.scan_timeout': '5m',
      'files.scan_at_once': '3',
      'files.scan_failure': 'accept',
      'limits.file_storing.per_account': '3/1h',
      'files.public_url': 'https://files.example/at',
      'limits.share_link.per_account': '4/1h',
      'limits.share_link.per_address': '5/1h',
      'limits.file_reading.per_account': '3/1h',
      'mail.domain': 'mail.example',
      'mail.expiry': '2d',
      ...Object.fromEntries(relay.split(' ').map((one) => `mail.relay.${one}`.split('='))),
      'notifications.push_contact': 'mailto:operator@home.example',
      ...Object.fromEntries(['push', 'email'].map((name) => [`notifications.${name}`, 'off'])),
      'notifications.digest': '30m',
      ...Object.fromEntries(own.split(' ').map((name) => [`limits.${name}.per_account`, '3/1h'])),
      ...Object.fromEntries(open.split(' ').map((name) => [`limits.${name}.per_address`, '3/1h'])),
      'social.rss': 'on',
      'social.public_url': 'https://home.example',
      'chat.begun_per_hour': '31',
      'chat.idle_after': '20m',
      'chat.retention': '365d',
      'calendar.auto_add': 'all',
      'calendar.subscriptions': 'on',
      'vaults.bcrypt_rounds': '13',
      'vaults.idle': '20m',
      'vaults.emergency_wait': '7d',
      'storage.per_member': '2TiB',
      'quorum.threshold': '3',
      'quorum.session': '2h',
      'quorum.reshare': '5d',
      'quorum.permit': '1h',
      'quorum.timelock': '1d',
      'vaults.breach_url': 'https://breaches.example/api',
      'vaults.breach_list': join(home, 'breaches'),
      'heavy.at_once': '4',
      'heavy.queued': '10',
      'server.headers_timeout': '500ms',
      'server.request_timeout': '3s',
      'server.keep_alive': '4s',
      'server.max_connections': '77',
      'server.connections_per_address': '33',
      'server.body_rate': '2KiB',
      'server.body_grace': '7s',
      'limits.bytes.per_address': '5MiB',
      'limits.bytes.per_account': '6MiB',
      'limits.bytes.total': '7MiB',
      'server.drain': '0ms',
    };
    const apart = ['database_password_file', 'server.tls_key_passphrase_file', 'tls_cert', 'tls_key'];
    const keys = Object.values(options).map(({ key }) => key);
    expect(keys.filter((key) => !(key in values)).toSorted()).toEqual(apart);

    const byVariable = await load({
      env: Object.fromEntries(Object.entries(values).map(([key, value]) => [variableOf(key), value])),
    });
    const file = join(home, 'elsewhere.toml');
    await writeFile(
      file,
      Object.entries(values)
        .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
        .join('\n'),
    );
    const byFile = await load({ flags: { config: file } });
    for (const loaded of [byVariable, byFile]) {
      const shown = Object.fromEntries(describeConfig(loaded).map(({ name, value }) => [name, value]));
      expect(shown).toMatchObject(values);
      expect(describeConfig(loaded).every(({ name, source }) => source !== 'default' || apart.includes(name))).toBe(
        true,
      );
    }
    expect(byVariable.config).toEqual(byFile.config);

    const withFlag = Object.values(options).filter(({ key, flag }) => flag && key in values);
    expect(withFlag.length).toBeGreaterThan(10);
    const byFlag = await load({ flags: Object.fromEntries(withFlag.map(({ key }) => [flagOf(key), values[key]])) });
    for (const { key } of withFlag) {
      const setting = describeConfig(byFlag).find(({ name }) => name === key);
      expect(setting).toMatchObject({ value: values[key], source: `--${flagOf(key)}` });
    }
  });

  it('has variables and flags of the documented names', () => {
    const flags = Object.values(options)
      .filter(({ flag }) => flag)
      .map(({ key }) => [flagOf(key), variableOf(key)]);
    expect(flags).toEqual(
      expect.arrayContaining([
        ['data-dir', 'CONCLAVE_DATA_DIR'],
        ['database', 'CONCLAVE_DATABASE'],
        ['host', 'CONCLAVE_HOST'],
        ['port', 'CONCLAVE_PORT'],
        ['rate-limits', 'CONCLAVE_RATE_LIMITS'],
        ['log-level', 'CONCLAVE_LOG_LEVEL'],
      ]),
    );
  });

  it('writes lists, booleans and numbers of the file as TOML does', async () => {
    const toml = 'metrics = true\ntrusted_proxies = ["10.0.0.1", "fd00::/8"]\nport = 0\nlimits.json_body = 4096\n';
    expect((await load({ toml })).config).toMatchObject({
      metrics: true,
      trustedProxies: ['10.0.0.1', 'fd00::/8'],
      port: 0,
      limits: { jsonBody: 4096 },
    });
  });

  it('starts relative paths at the folder of the file, or at the working directory', async () => {
    const { config } = await load({ toml: 'node_secret_file = "keys/secret"\n', env: {} });
    expect(config.nodeSecretFile).toBe(join(config.dataDir, 'keys', 'secret'));
    expect((await load({ flags: { 'data-dir': 'here' } })).config.dataDir).toBe(join(home, 'here'));
  });

  it('counts an empty variable as none', async () => {
    expect((await load({ env: { CONCLAVE_PORT: '', CONCLAVE_CONFIG: '' } })).config.port).toBe(7878);
  });

  it('follows XDG_DATA_HOME, but only an absolute one', async () => {
    expect((await load({ env: { XDG_DATA_HOME: '/xdg' } })).config.dataDir).toBe('/xdg/conclave');
    const relative = await load({ env: { XDG_DATA_HOME: 'xdg' } });
    expect(relative.config.dataDir).toBe(join(home, '.local', 'share', 'conclave'));
  });

  it('looks at no conclave.toml in the working directory', async () => {
    await writeFile(join(home, 'conclave.toml'), 'port = 1\n');
    expect((await load({})).config.port).toBe(7878);
  });
});

describe('what loadConfig refuses', () => {
  it.each([
    ['a misspelt key', 'prot = 1', /conclave\.toml: prot is not an option; is port meant\?/],
    ['a key of another section', '[server]\nport = 1', /server\.port is not an option; is port meant\?/],
    ['a wrong type', 'port = "eighty"', /conclave\.toml: port must be a whole number from 0 to 65535/],
    [
      'a wrong rate',
      'limits.sign_in.per_account = "many"',
      /limits\.sign_in\.per_account must be a rate such as 10\/15m/,
    ],
    ['a data directory that finds itself', 'data_dir = "/x"', /data_dir has no effect/],
    ['a path in an origin', 'cors_origins = ["https://a.example/x"]', /cors_origins must be origins/],
    ['every origin', 'cors_origins = ["*"]', /cors_origins must be origins/],
    ['a proxy that is a name', 'trusted_proxies = ["proxy"]', /trusted_proxies must be addresses or ranges/],
  ])('%s, naming file and key', async (_what, toml, message) => {
    expect((await refusal({ toml })).message).toMatch(message);
  });

  it.each([
    ['Argon2id memory', 'passwords.memory_kib', '19455'],
    ['Argon2id passes', 'passwords.passes', '1'],
    ['Argon2id lanes', 'passwords.lanes', '0'],
    ['PBKDF2 iterations', 'passwords.pbkdf2_iterations', '99999'],
  ])('%s below the floor', async (_what, key, value) => {
    expect((await refusal({ env: { [variableOf(key)]: value } })).message).toMatch(
      `${variableOf(key)} must be a whole number from ${Number(value) + 1}`,
    );
  });

  it('everything wrong at once, with the place of each', async () => {
    const problem = await refusal({ flags: { port: 'x' }, env: { CONCLAVE_HOST: 'a b' }, toml: 'metrics = 3\n' });
    expect(problem.fields.map(({ path }) => path.split('/').at(-1))).toEqual([
      'CONCLAVE_HOST',
      '--port',
      'conclave.toml: metrics',
    ]);
  });

  it('rate limits that are off where others can connect', async () => {
    expect((await refusal({ env: { CONCLAVE_RATE_LIMITS: 'off', CONCLAVE_HOST: '0.0.0.0' } })).message).toMatch(
      /rate_limits may be off only where host is a loopback/,
    );
    for (const host of ['127.0.0.1', '127.9.9.9', '::1', 'localhost']) {
      expect((await load({ env: { CONCLAVE_RATE_LIMITS: 'off', CONCLAVE_HOST: host } })).config.limits.enabled).toBe(
        false,
      );
    }
  });

  it('half a certificate, and two', async () => {
    expect((await refusal({ env: { CONCLAVE_TLS_CERT: '/c' } })).message).toMatch(/tls_key is missing/);
    expect(
      (await refusal({ env: { CONCLAVE_TLS: 'self-signed', CONCLAVE_TLS_CERT: '/c', CONCLAVE_TLS_KEY: '/k' } }))
        .message,
    ).toMatch(/choose one/);
    const { config } = await load({ env: { CONCLAVE_TLS_CERT: '/c', CONCLAVE_TLS_KEY: '/k' } });
    expect(config.tls).toEqual({ certFile: '/c', keyFile: '/k' });
  });

  it('a file that is named and not there, and one that is not TOML', async () => {
    expect((await refusal({ flags: { config: 'gone.toml' } })).message).toMatch(
      /gone\.toml: the file named by --config or CONCLAVE_CONFIG does not exist/,
    );
    const problem = await refusal({ toml: `port = 1\nnonsense ${canary}\n` });
    expect(problem.message).toMatch(/is not TOML; the mistake is at line 2/);
    expect(problem.message).not.toContain(canary);
  });
});

describe('the password of the database', () => {
  const url = (password: string) => `postgres://ann:${password}@db.example/conclave`;

  it.each([
    ['in the variable', { env: { CONCLAVE_DATABASE: url(canary) } }],
    ['in the query', { env: { CONCLAVE_DATABASE: `postgres://ann@db.example/conclave?password=${canary}` } }],
    ['in the file', { toml: `database = "${url(canary)}"` }],
    ['in PGPASSWORD', { env: { CONCLAVE_DATABASE: 'postgres://ann@db.example/conclave', PGPASSWORD: canary } }],
  ])('%s is a secret apart, and never shown', async (_where, given: Given) => {
    const loaded = await load(given);
    expect(loaded.secrets.databasePassword).toBe(canary);
    expect(loaded.config.database).toBe('postgres://ann@db.example/conclave');
    expect(JSON.stringify([loaded.config, loaded.settings, describeConfig(loaded)])).not.toContain(canary);
    expect(describeConfig(loaded).at(-1)).toMatchObject({ name: '(database password)', value: '(set, not shown)' });
    expect(new URL(databaseUrl(loaded.config.database!, loaded.secrets)).password).toBe(canary);
  });

  it('comes from a file without its line feed, and keeps its own characters', async () => {
    const password = 'p@ss w%rd/ü:?#';
    await writeFile(join(home, 'pw'), `${password}\n`);
    const loaded = await load({
      env: { CONCLAVE_DATABASE: 'postgres://ann@db.example/c', CONCLAVE_DATABASE_PASSWORD_FILE: join(home, 'pw') },
    });
    expect(loaded.secrets.databasePassword).toBe(password);
    expect(decodeURIComponent(new URL(databaseUrl(loaded.config.database!, loaded.secrets)).password)).toBe(password);
  });

  it('is refused in an argument, and in a file that others may read', async () => {
    expect((await refusal({ flags: { database: url(canary) } })).message).toMatch(
      /--database must not contain a password/,
    );
    const file = join(home, 'open.toml');
    await writeFile(file, `database = "${url(canary)}"`);
    await chmod(file, 0o644);
    const problem = await refusal({ flags: { config: file } });
    expect(problem.message).toMatch(/chmod 600/);
    expect(problem.message).not.toContain(canary);
  });

  it('stays out of the message about a URL that is none', async () => {
    const problem = await refusal({ env: { CONCLAVE_DATABASE: `mysql://ann:${canary}@db/x` } });
    expect(problem.message).toMatch(/CONCLAVE_DATABASE must be a URL such as postgres:/);
    expect(problem.message).not.toContain(canary);
  });
});
