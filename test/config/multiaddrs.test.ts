import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';

async function networkOf(env: Record<string, string>) {
  const { config } = await loadConfig({ flags: {}, env, home: '/nowhere', cwd: '/nowhere' });
  return config.network;
}

describe('the configuration of the network', () => {
  it('is off, and on loopback, unless it is set', async () => {
    expect(await networkOf({})).toEqual({
      enabled: false,
      listen: ['/ip4/127.0.0.1/tcp/7879'],
      peers: [],
      announce: [],
    });
  });

  it('takes host and port as well as multiaddrs', async () => {
    const network = await networkOf({
      CONCLAVE_NETWORK_ENABLED: 'on',
      CONCLAVE_NETWORK_LISTEN: 'localhost:0,[::]:7879,/ip4/0.0.0.0/tcp/7880/ws',
      CONCLAVE_NETWORK_PEERS: 'node.example:7879,/dns4/other.example/tcp/443/wss',
      CONCLAVE_NETWORK_ANNOUNCE: '192.0.2.1:7879',
    });
    expect(network).toEqual({
      enabled: true,
      listen: ['/ip4/127.0.0.1/tcp/0', '/ip6/::/tcp/7879', '/ip4/0.0.0.0/tcp/7880/ws'],
      peers: ['/dns/node.example/tcp/7879', '/dns4/other.example/tcp/443/wss'],
      announce: ['/ip4/192.0.2.1/tcp/7879'],
    });
  });

  it.each([
    ['LISTEN', 'node.example:7879'],
    ['LISTEN', '/ip4/127.0.0.1/tcp/1/wss'],
    ['LISTEN', '7879'],
    ['PEERS', 'node.example:0'],
    ['PEERS', 'https://node.example'],
    ['ANNOUNCE', '/ip4/127.0.0.1/udp/1'],
  ])('refuses %s of %s', async (name, value) => {
    await expect(networkOf({ [`CONCLAVE_NETWORK_${name}`]: value })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});
