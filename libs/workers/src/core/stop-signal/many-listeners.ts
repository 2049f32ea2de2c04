import { setMaxListeners } from 'node:events';

/** For a signal that many share: from the eleventh listener on Node would warn of a leak. */
export function manyListeners(controller: AbortController): AbortController {
  setMaxListeners(0, controller.signal);
  return controller;
}
