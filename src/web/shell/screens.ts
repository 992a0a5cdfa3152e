import type { ComponentType } from 'react';
import type { Role } from '#core/roles.ts';
import type { IconName } from '../components/icons.tsx';

/** One screen, with everything that the menu, the guard and the router need. */
export interface Screen {
  /** The first path is used in links; the others also open the screen. */
  readonly paths: readonly [string, ...string[]];
  readonly label: string;
  readonly icon: IconName;
  /** The menu group; `account` is the user menu. Null: not in a menu. */
  readonly group: 'overview' | 'documents' | 'mappings' | 'records' | 'setup' | 'account' | null;
  /** One of them is enough; `any`: every logged-in user; `public`: no session needed. */
  readonly roles: readonly Role[] | 'any' | 'public';
  /** In the menu only while both services are connected; disabled while a request runs. */
  readonly needsConnections?: boolean;
  /** In the menu only if approval is required, or documents wait for approval. */
  readonly needsDrafts?: boolean;
  /** In the menu only until the setup is done or closed. */
  readonly needsSetup?: boolean;
  /** Loads the screen; null until it is built: it is then in no menu and its path is not found. */
  readonly load: (() => Promise<{ readonly Component: ComponentType }>) | null;
}

/** Path of the only screen that never shows the menu. */
export const loginPath = '/login';

/** Path of the action that logs the user out. */
export const logoutPath = '/logout';

const client: readonly Role[] = ['clientadmin'];
const readers: readonly Role[] = ['clientadmin', 'accountant'];
const both: readonly Role[] = ['clientadmin', 'sysadmin'];

export const screens: readonly Screen[] = [
  {
    paths: ['/my', '/'],
    label: 'Overview',
    icon: 'overview',
    group: 'overview',
    roles: [...both, 'accountant'],
    load: () => import('../screens/overview/overview.tsx'),
  },
  {
    paths: ['/setup'],
    label: 'Setup',
    icon: 'arrow',
    group: 'overview',
    roles: client,
    needsSetup: true,
    load: () => import('../screens/setup/setup.tsx'),
  },
  {
    paths: ['/needs-attention'],
    label: 'Needs attention',
    icon: 'warning',
    group: 'overview',
    roles: client,
    load: () => import('../screens/needs-attention/needs-attention.tsx'),
  },
  {
    paths: ['/approval'],
    label: 'Approval',
    icon: 'check',
    group: 'overview',
    roles: readers,
    needsDrafts: true,
    load: () => import('../screens/approval/approval.tsx'),
  },
  {
    paths: ['/my-invoices'],
    label: 'Invoices',
    icon: 'invoices',
    group: 'documents',
    roles: client,
    needsConnections: true,
    load: () => import('../screens/sync/invoices.tsx'),
  },
  {
    paths: ['/my-purchase-orders'],
    label: 'Purchase Orders',
    icon: 'orders',
    group: 'documents',
    roles: client,
    load: () => import('../screens/sync/purchase-orders.tsx'),
  },
  {
    paths: ['/my-expenses'],
    label: 'Expense Reports',
    icon: 'expenses',
    group: 'documents',
    roles: client,
    load: () => import('../screens/sync/expenses.tsx'),
  },
  {
    paths: ['/runs', '/runs/:id'],
    label: 'Runs',
    icon: 'refresh',
    group: 'records',
    roles: readers,
    load: () => import('../screens/runs/runs.tsx'),
  },
  {
    paths: ['/customer-mappings', '/company-xrefs'],
    label: 'Customer Mappings',
    icon: 'clients',
    group: 'mappings',
    roles: client,
    needsConnections: true,
    load: () => import('../screens/mappings/customer-mappings.tsx'),
  },
  {
    paths: ['/vendor-mappings', '/vendor-xrefs'],
    label: 'Vendor Mappings',
    icon: 'truck',
    group: 'mappings',
    roles: client,
    needsConnections: true,
    load: () => import('../screens/mappings/vendor-mappings.tsx'),
  },
  {
    paths: ['/expense-mappings', '/expense-xrefs'],
    label: 'Expense Mappings',
    icon: 'expenses',
    group: 'mappings',
    roles: client,
    needsConnections: true,
    load: () => import('../screens/mappings/expense-mappings.tsx'),
  },
  {
    paths: ['/item-mappings', '/item-xrefs'],
    label: 'Item Mappings',
    icon: 'items',
    group: 'mappings',
    roles: client,
    needsConnections: true,
    load: () => import('../screens/mappings/item-mappings.tsx'),
  },
  {
    paths: ['/lines-of-business', '/lob-xrefs'],
    label: 'Lines of Business',
    icon: 'classes',
    group: 'mappings',
    roles: client,
    load: () => import('../screens/mappings/lines-of-business.tsx'),
  },
  {
    paths: ['/locations', '/location-xrefs'],
    label: 'Locations',
    icon: 'place',
    group: 'mappings',
    roles: client,
    load: () => import('../screens/mappings/locations.tsx'),
  },
  {
    paths: ['/tax-regions', '/tax-region-xrefs'],
    label: 'Tax Regions',
    icon: 'percent',
    group: 'mappings',
    roles: client,
    needsConnections: true,
    load: () => import('../screens/mappings/tax-regions.tsx'),
  },
  {
    paths: ['/custom-fields', '/custom-field-xrefs'],
    label: 'Custom Fields',
    icon: 'fields',
    group: 'mappings',
    roles: client,
    needsConnections: true,
    load: () => import('../screens/mappings/custom-fields.tsx'),
  },
  {
    paths: ['/month-end', '/month-end/:month', '/close', '/close/:month'],
    label: 'Month-end close',
    icon: 'check',
    group: 'records',
    roles: readers,
    load: () => import('../screens/month-end/month-end.tsx'),
  },
  {
    paths: ['/logs'],
    label: 'Logs',
    icon: 'logs',
    group: 'records',
    roles: readers,
    load: () => import('../screens/logs/logs.tsx'),
  },
  {
    paths: ['/clients'],
    label: 'Clients',
    icon: 'clients',
    group: 'setup',
    roles: ['sysadmin'],
    load: () => import('../screens/clients/clients.tsx'),
  },
  {
    paths: ['/audit'],
    label: 'Audit Trail',
    icon: 'shield',
    group: 'records',
    roles: readers,
    load: () => import('../screens/audit/audit.tsx'),
  },
  {
    paths: ['/connections'],
    label: 'Connections',
    icon: 'connections',
    group: 'setup',
    roles: both,
    load: () => import('../screens/connections/connections.tsx'),
  },
  {
    paths: ['/quickbooks/launch'],
    label: 'Launch',
    icon: 'connections',
    group: null,
    roles: 'any',
    load: () => import('../screens/connections/launch.tsx'),
  },
  {
    paths: ['/quickbooks/reconnect'],
    label: 'Reconnect QuickBooks',
    icon: 'connections',
    group: null,
    roles: 'any',
    load: () => import('../screens/connections/reconnect.tsx'),
  },
  {
    paths: ['/quickbooks/disconnected'],
    label: 'QuickBooks disconnected',
    icon: 'unplug',
    group: null,
    roles: 'public',
    load: () => import('../screens/connections/disconnected.tsx'),
  },
  {
    paths: ['/settings'],
    label: 'Settings',
    icon: 'settings',
    group: 'setup',
    roles: client,
    load: () => import('../screens/settings/settings.tsx'),
  },
  {
    paths: ['/item-settings'],
    label: 'Item Settings',
    icon: 'items',
    group: 'setup',
    roles: client,
    needsConnections: true,
    load: () => import('../screens/item-settings/item-settings.tsx'),
  },
  {
    paths: ['/users'],
    label: 'Users',
    icon: 'clients',
    group: 'account',
    roles: client,
    load: () => import('../screens/users/users.tsx'),
  },
  {
    paths: ['/sessions'],
    label: 'Sessions',
    icon: 'devices',
    group: 'account',
    roles: 'any',
    load: () => import('../screens/sessions/sessions.tsx'),
  },
  {
    paths: ['/security'],
    label: 'Security',
    icon: 'lock',
    group: 'account',
    roles: 'any',
    load: () => import('../screens/security/security.tsx'),
  },
  {
    paths: ['/login'],
    label: 'Login',
    icon: 'user',
    group: null,
    roles: 'public',
    load: () => import('../screens/login/login.tsx'),
  },
  {
    paths: ['/forgot-password'],
    label: 'Forgot password',
    icon: 'user',
    group: null,
    roles: 'public',
    load: () => import('../screens/forgot-password/forgot-password.tsx'),
  },
  {
    paths: ['/password/:token'],
    label: 'Reset password',
    icon: 'user',
    group: null,
    roles: 'public',
    load: () => import('../screens/reset-password/reset-password.tsx'),
  },
  {
    paths: ['/invitation/:token'],
    label: 'Accept invitation',
    icon: 'user',
    group: null,
    roles: 'public',
    load: () => import('../screens/accept-invitation/accept-invitation.tsx'),
  },
  {
    paths: ['/register'],
    label: 'Register',
    icon: 'user',
    group: null,
    roles: 'public',
    load: () => import('../screens/register/register.tsx'),
  },
];

/** Returns true if the screen exists and these roles may open it. */
export const mayOpen = (screen: Screen, roles: readonly Role[]): boolean =>
  screen.load !== null &&
  (screen.roles === 'public' || screen.roles === 'any' || screen.roles.some((role) => roles.includes(role)));

/** Returns the path and label of a screen if these roles may open it, otherwise null. Ignores query and fragment. */
export function findScreen(
  path: string,
  roles: readonly Role[],
): { readonly path: string; readonly label: string } | null {
  const [pathname = ''] = path.split(/[?#]/);
  const screen = screens.find((one) => one.paths.includes(pathname) && mayOpen(one, roles));
  return screen === undefined ? null : { path, label: screen.label };
}
