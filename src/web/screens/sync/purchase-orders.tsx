import { SyncScreen } from './sync-screen.tsx';

export const Component = () => <SyncScreen kind="purchase_order" />;
