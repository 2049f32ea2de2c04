import type { Mutant } from './mutants/mutants.js';

/**
 * For each case, the subject that it must fail against: a mutant or plain Nest. Plain Nest is used only for cases about
 * signals and the exit, which are not the drain's responsibility. It dies from the signal itself, so it would fail any
 * case.
 */
export const ADVERSARIES: Readonly<Record<string, Mutant | 'stock'>> = {
  'an idle application exits immediately with code 0': 'never-closes',
  '10 idle keep-alive connections are closed, not reset, and do not delay the exit': 'resets-connections',
  'idle keep-alive connections stay open while another request is in flight': 'closes-at-once',
  'an in-flight request is served, and the process exits right after it': 'does-not-wait',
  'a connection that never sent data does not delay the exit': 'leaves-connections',
  'a half-sent request does not delay the exit': 'leaves-connections',
  'a client that abandons its request does not delay the exit': 'never-counts-down',
  'resources closed in onModuleDestroy are available to the in-flight request': 'does-not-wait',

  'no response has Connection: close before the drain': 'announces-at-boot',
  'a response whose headers were not sent gets Connection: close, and the connection is closed': 'no-connection-close',
  'a response whose headers were sent completes, and then the connection is closed': 'keeps-connections',

  'a new request on a fresh connection gets 503 with Retry-After and a JSON body': 'refuses-plainly',
  'a new request gets 503 with Connection: close on fresh and keep-alive connections, which are then closed':
    'no-connection-close',
  'a refused request is answered as the options say': 'refuses-plainly',
  'exempt paths and marked routes are served while others are refused': 'exempts-nothing',
  'a refused request does not reach its handler, and is answered once': 'answers-twice',
  'lame duck: requests are served with Connection: close while readiness is down, then refused': 'no-lame-duck',

  'an upload in progress is received completely and answered': 'does-not-wait',
  'a client that got 100 Continue before the drain can send its body': 'does-not-wait',
  'a client that expects 100 Continue during the drain gets 503 instead': 'continues-then-refuses',
  'a stream of 20 chunks is sent completely': 'does-not-wait',
  'a slow reader gets a large response completely': 'does-not-flush',
  'a client whose upload is refused can read the 503 while it is still sending': 'refuses-rudely',
  'an endless stream ends when its drain signal aborts': 'signals-nobody',

  '3 pipelined requests are served in order, and only the last response has Connection: close': 'close-for-all',
  'several in-flight pipelined requests: only the last response has Connection: close': 'close-for-all',
  'a request pipelined behind an in-flight one is refused after that one has been served': 'close-for-all',

  'a stuck request does not delay others, is cut off and named, and the exit code reports it': 'forces-at-once',
  'a stuck upload is cut off and named': 'never-forces',
  'exit code and log distinguish a clean shutdown from a forced one': 'forces-silently',

  'probes are correct for GET and HEAD before and during the drain, while other requests are refused': 'always-ready',

  'SIGTERM during bootstrap closes the created providers, and the application never listens': 'stock',
  'SIGINT during bootstrap closes the created providers, and the application never listens': 'stock',
  'a second SIGINT during bootstrap ends the process immediately with code 130': 'stock',
  'not ready before the bootstrap is complete, but alive all the time': 'always-ready',

  'a second SIGINT ends the process immediately with code 130': 'stock',
  'SIGINT after SIGTERM ends the process immediately with code 130': 'stock',
  'a second SIGTERM changes nothing: the in-flight request is served': 'does-not-wait',
  'a hook that throws does not stop the others, and the exit code reports it': 'stock',
  'a leaked handle does not keep the process alive': 'stock',

  'two servers of one application: in-flight requests on both are served, new ones on both refused':
    'attaches-one-server',
  'Fastify on localhost: in-flight requests on 127.0.0.1 and on ::1 are served, new ones refused':
    'attaches-one-server',
  'two applications in one process: one is drained and closed while the other keeps serving': 'drains-all',

  'h2: GOAWAY is sent without a last stream, then with the real one; the session closes after its streams': 'no-goaway',
  'h2: idle sessions get GOAWAY, close without an error and do not delay the exit': 'no-goaway',
  'h2: a stuck stream does not affect the other streams of its session': 'forces-at-once',

  'SIGTERM under load: no request is lost, and no connection is refused while a request is in flight': 'closes-at-once',
  'SIGINT under load: no request is lost, and no connection is refused while a request is in flight': 'does-not-wait',
  'a burst of requests at the moment of the signal is answered': 'does-not-wait',
  '24 keep-alive clients with a network delay of 25 ms lose no request': 'does-not-settle',
  'clients that never let up do not delay the exit': 'waits-for-silence',
};
