/** The dashboard: one page that shows the tasks of a store, live. */
export { createDashboard, type Dashboard } from './dashboard.ts';
export type { DashboardOptions, DashboardVerify } from './dashboard-options.ts';
