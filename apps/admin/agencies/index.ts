export { agencyEvents } from './agency-events.ts';
