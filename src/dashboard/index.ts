/** The dashboard: one page on the tasks of a store, live. */
export { createDashboard, type Dashboard } from './dashboard.ts';
export type { DashboardOptions, DashboardVerify } from './dashboard-options.ts';
