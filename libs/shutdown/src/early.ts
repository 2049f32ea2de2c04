import { captureEarlySignals } from './core/process/early-signals.js';

captureEarlySignals();
