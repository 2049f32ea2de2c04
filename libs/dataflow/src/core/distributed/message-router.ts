import type { DataflowError } from '../errors/dataflow.error.js';
import { RemoteError } from '../errors/remote.error.js';
import type { DataflowReport } from '../report.js';
import type { Coordinator } from './coordinator/coordinator.js';
import type { Links } from './links.js';
import type { DataPlane } from './partition/data-plane.js';
import type { PendingStops } from './pending-stops.js';
import type { ProtocolMessage, ToProcess } from './wire/messages.js';

export type StartMessage = Extract<ToProcess, { kind: 'start' }>;

/** The parts of a process that handle messages. */
export interface RouterParts {
  readonly data: DataPlane;
  readonly links: Links;
  readonly stops: PendingStops;
  /** Only in the process with the coordinator. */
  readonly coordinator: Coordinator | undefined;
  /** Name of the process with the coordinator. */
  readonly coordinatorName: string;
  hasStarted(): boolean;
  start(message: StartMessage): void;
  force(error: DataflowError): void;
  end(report: DataflowReport): void;
}

/** Routes every message to the part of this process that handles it. */
export class MessageRouter {
  constructor(private readonly parts: RouterParts) {}

  /** Handles a message from another process. @throws MalformedMessageError, ProgressReportError */
  receive(from: string, message: ProtocolMessage): void {
    const { data, coordinator, coordinatorName } = this.parts;
    switch (message.kind) {
      // Messages that arrive before the start are for the process as it was before its restart. Peers send them again.
      case 'data':
        if (this.parts.hasStarted()) data.receiveData(from, message.edge, message.tag, message.payload);
        return;
      case 'credit':
        if (this.parts.hasStarted()) data.receiveCredit(from, message.edge, message.tag);
        return;
      case 'edge-closed':
        if (this.parts.hasStarted()) data.closeEdge(from, message.edge);
        return;
      case 'start':
      case 'grant':
      case 'raise-floor':
      case 'stop-proposal':
      case 'stop-decision':
      case 'force':
      case 'peer-restarted':
      case 'peer-removed':
      case 'run-ended':
        if (from === coordinatorName) this.receiveFromCoordinator(message);
        return;
      default:
        coordinator?.handle(from, message);
    }
  }

  receiveFromCoordinator(message: ToProcess): void {
    const { data, links, stops, coordinator, coordinatorName } = this.parts;
    switch (message.kind) {
      case 'start':
        return this.parts.start(message);
      case 'grant':
        return data.grant(message.grant);
      case 'raise-floor':
        return data.raiseFloor(message.partition, message.tag);
      case 'stop-proposal':
        return data.answerStop(message.round, message.tag, message.isFinal);
      case 'stop-decision':
        data.stopAt(message.tag, message.isFinal);
        return stops.decided(message.tag, message.isFinal);
      case 'force':
        return this.parts.force(new RemoteError(coordinatorName, message.code, message.message, message.exitCode));
      case 'peer-restarted':
        links.connect(message.peer, message.address);
        // In other processes the link notices the restart. Here the start message must be sent before the retained
        // messages.
        if (coordinator) data.peerRestarted(message.peer);
        return;
      case 'peer-removed':
        data.peerRemoved(message.peer);
        return links.disconnect(message.peer);
      case 'run-ended':
        return this.parts.end(message.report);
    }
  }
}
