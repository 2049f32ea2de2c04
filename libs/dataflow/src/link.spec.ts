import { DataflowError } from './core/index.js';
import * as link from './link.js';

describe('@roost/dataflow/link', () => {
  it('exports these names', () => {
    expect(Object.keys(link).sort()).toEqual([
      'CannotListenError',
      'EdgeLossError',
      'HandshakeRefusedError',
      'HandshakeTimeoutError',
      'LinkClosedError',
      'LinkHub',
      'MalformedFrameError',
      'MessageHandlerError',
      'OversizedFrameError',
      'UnknownPeerError',
      'tcp',
    ]);
  });

  it('derives every error from one base class', () => {
    const errors = Object.entries(link).filter(([name]) => name.endsWith('Error'));
    for (const [, error] of errors) {
      expect((error as unknown as { prototype: unknown }).prototype).toBeInstanceOf(DataflowError);
    }
  });
});
