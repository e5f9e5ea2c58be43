// MD5: the digests that RFC 1321 lists, and the lengths at which the padding changes.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/envs/atari/game_rom.h"
#include "tests/engine/harness.h"

namespace engine::atari::testing {
namespace md5_test {

std::string DigestOf(std::string_view text) {
  return Md5(std::vector<std::uint8_t>(text.begin(), text.end()));
}

// RFC 1321, appendix A.5.
TEST(Md5, DigestsOfTheRfc) {
  EXPECT_EQ(DigestOf(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(DigestOf("a"), "0cc175b9c0f1b6a831c399e269772661");
  EXPECT_EQ(DigestOf("abc"), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(DigestOf("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(DigestOf("abcdefghijklmnopqrstuvwxyz"), "c3fcd3d76192e4007dfb496cca67e13b");
  EXPECT_EQ(DigestOf("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"),
            "d174ab98d277d9f5a5611c2c9f419d9f");
  EXPECT_EQ(DigestOf("12345678901234567890123456789012345678901234567890123456789012345678901234567"
                     "890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

// hashlib.md5(b"a" * length).hexdigest() around a block's end.
TEST(Md5, LengthsAroundABlock) {
  EXPECT_EQ(DigestOf(std::string(55, 'a')), "ef1772b6dff9a122358552954ad0df65");
  EXPECT_EQ(DigestOf(std::string(56, 'a')), "3b0c8ac703f828b04c6c197006d17218");
  EXPECT_EQ(DigestOf(std::string(57, 'a')), "652b906d60af96844ebd21b674f35e93");
  EXPECT_EQ(DigestOf(std::string(63, 'a')), "b06521f39153d618550606be297466d5");
  EXPECT_EQ(DigestOf(std::string(64, 'a')), "014842d480b571495a4a0363793f7367");
  EXPECT_EQ(DigestOf(std::string(65, 'a')), "c743a45e0d2e6a95cb859adae0248435");
  EXPECT_EQ(DigestOf(std::string(119, 'a')), "8a7bd0732ed6a28ce75f6dabc90e1613");
  EXPECT_EQ(DigestOf(std::string(120, 'a')), "5f61c0ccad4cac44c75ff505e1f1e537");
  EXPECT_EQ(DigestOf(std::string(128, 'a')), "e510683b3f5ffe4093d021808bc6ff70");
}

// hashlib.md5(bytes(i * 7 & 0xFF for i in range(16384))).hexdigest()
TEST(Md5, ALargeImage) {
  std::vector<std::uint8_t> image;
  for (int i = 0; i < 16384; ++i) image.push_back(static_cast<std::uint8_t>(i * 7));
  EXPECT_EQ(Md5(image), "ea13f524a784b8f63d95a883743253e7");
}

}  // namespace md5_test
}  // namespace engine::atari::testing
