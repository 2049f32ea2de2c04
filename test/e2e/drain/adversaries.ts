import type { Mutant } from './mutants/mutants.js';

/**
 * For each case what it must fail against: plain Nest, or a mutant. Plain Nest only where the case is about signals and
 * the exit, which are not the drain's own doing: it ends by the signal itself, so it would fail any case.
 */
export const ADVERSARIES: Readonly<Record<string, Mutant | 'stock'>> = {
  'a quiet application exits at once, with code 0': 'never-closes',
  '10 idle kept-alive connections are ended, not reset, and do not hold the exit': 'resets-connections',
  'idle kept-alive connections stay open while a request is in flight elsewhere': 'closes-at-once',
  'a request in flight is served, and the exit follows it': 'does-not-wait',
  'a connection that never sent anything does not hold the exit': 'leaves-connections',
  'half a request does not hold the exit': 'leaves-connections',
  'a client that leaves its request does not hold the exit': 'never-counts-down',
  'what Nest closes in onModuleDestroy is there for the request in flight': 'does-not-wait',

  'no response says Connection: close before the drain': 'announces-at-boot',
  'a response whose headers were not sent says Connection: close, and the connection ends': 'no-connection-close',
  'a response whose headers were sent is completed, and then the connection ends': 'keeps-connections',

  'a new request on a fresh connection gets 503 with Retry-After and a JSON body': 'refuses-plainly',
  'a new request gets 503 with Connection: close, on fresh and on kept-alive connections, which then end':
    'no-connection-close',
  'a refused request is answered as the options say': 'refuses-plainly',
  'exempt paths and marked routes are served while others are refused': 'exempts-nothing',
  'a refused request does not reach its handler, and is answered once': 'answers-twice',
  'lame duck: requests are served with Connection: close while readiness is down, then refused': 'no-lame-duck',

  'an upload in mid-body is taken to its end and answered': 'does-not-wait',
  'a client told to continue before the drain may send its body': 'does-not-wait',
  'a client that asks whether to continue while draining gets 503 instead': 'continues-then-refuses',
  'a stream of 20 chunks is sent to its end': 'does-not-wait',
  'a big response gets to a slow reader whole': 'does-not-flush',
  'an upload refused while draining can read its 503 although it is still sending': 'refuses-rudely',
  'an endless stream ends itself when its drain signal aborts': 'signals-nobody',

  '3 pipelined requests are all served, in order, and only the last says Connection: close': 'close-for-all',
  'pipelined requests in flight together: only the last of them says Connection: close': 'close-for-all',
  'a request pipelined behind one in flight while draining is refused after it has been served': 'close-for-all',

  'a stuck request does not delay a good one, is cut off and named, and the exit code tells': 'forces-at-once',
  'a stuck upload is cut off and named': 'never-forces',
  'a clean end can be told from a forced one, by the exit code and by the log': 'forces-silently',

  'probes tell the truth by GET and HEAD, before and while draining, where others are refused': 'always-ready',

  'SIGTERM during bootstrap: what has been built is closed, and it never listens': 'stock',
  'SIGINT during bootstrap: what has been built is closed, and it never listens': 'stock',
  'a second SIGINT during bootstrap ends the process at once, with code 130': 'stock',
  'not ready before the bootstrap has ended, and alive all the time': 'always-ready',

  'a second SIGINT ends the process at once, with code 130': 'stock',
  'SIGINT after SIGTERM ends the process at once, with code 130': 'stock',
  'a second SIGTERM changes nothing: the request in flight is served': 'does-not-wait',
  'a hook that throws does not stop the others, and the exit code tells': 'stock',
  'a handle that leaks does not keep the process': 'stock',

  'two servers of one application: requests in flight on both are served, new ones on both refused':
    'attaches-one-server',
  'Fastify on localhost: requests in flight on 127.0.0.1 and on ::1 are served, new ones refused':
    'attaches-one-server',
  'two applications in one process: one is drained and closed while the other goes on': 'drains-all',

  'h2: GOAWAY without a last stream, then with the real one; streams end, and the session with them': 'no-goaway',
  'h2: idle sessions are told, end without an error and do not hold the exit': 'no-goaway',
  'h2: a stuck stream does not take the good ones of its session with it': 'forces-at-once',

  'SIGTERM under load: nothing lost, nobody refused while a request is in flight': 'closes-at-once',
  'SIGINT under load: nothing lost, nobody refused while a request is in flight': 'does-not-wait',
  'a burst that races the signal is answered': 'does-not-wait',
  '24 keep-alive clients behind a delay of 25 ms lose nothing': 'does-not-settle',
  'clients that never let up do not hold the exit': 'waits-for-silence',
};
