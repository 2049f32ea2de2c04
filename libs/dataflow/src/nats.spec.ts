import * as entry from './nats.js';

describe('@roost/dataflow/nats', () => {
  it('exports these names and no others', () => {
    expect(Object.keys(entry).sort()).toEqual(['BrokerError', 'nats']);
  });

  it('names the unreachable broker, without the password', async () => {
    const transport = entry.nats({ servers: ['nats://user:hidden@127.0.0.1:1', '127.0.0.1:2'] });

    const refused = transport.open({ app: 'x', name: 'a', maxFrameBytes: 100 }, {} as never);

    await expect(refused).rejects.toThrow(entry.BrokerError);
    await expect(refused).rejects.toMatchObject({
      code: 'DATAFLOW_BROKER',
      servers: 'nats://127.0.0.1:1, 127.0.0.1:2',
      message: expect.stringMatching(/^NATS at nats:\/\/127\.0\.0\.1:1, 127\.0\.0\.1:2 cannot be used: /),
    });
  });

  it('names the default address', async () => {
    const refused = entry.nats({ port: 1 }).open({ app: 'x', name: 'a', maxFrameBytes: 100 }, {} as never);

    await expect(refused).rejects.toMatchObject({ servers: '127.0.0.1:1' });
  });
});
