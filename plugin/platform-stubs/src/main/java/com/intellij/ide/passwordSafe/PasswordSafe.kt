// Stands for platform/credential-store/src/ide/passwordSafe/PasswordSafe.kt.
package com.intellij.ide.passwordSafe

public abstract class PasswordSafe : PasswordStorage {
    public companion object {
        @JvmStatic
        public val instance: PasswordSafe
            get() = throw UnsupportedOperationException()
    }
}
